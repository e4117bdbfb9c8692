#!/bin/sh
# Checks the vending machine, as its authors do with CADP.

MODEL=machine
LC_ALL=C
export LC_ALL
set -e

echo "== generation"
bcg_io $MODEL.aut $MODEL.bcg
bcg_info -size $MODEL.bcg
STATES=`bcg_info -size $MODEL | sed 's/ states.*//'`
if [ "$STATES" -gt 1000 ] ; then
	echo "$MODEL is too large: $STATES states" >&2
	exit 1
fi

echo "== gates"
bcg_info -labels $MODEL.bcg | sed 1d | cut -d ' ' -f 1 | sort -u | tr '\n' ' '
echo
if bcg_info -labels $MODEL.bcg | grep -q REFUND ; then
	echo "money comes back"
fi

echo "== service"
cat > service.hid <<END
hide all but
"COIN !.*"
COFFEE
TEA
END
cat > service.ren <<END
rename
COIN -> PAY
END
bcg_labels -hide service.hid -rename -gate service.ren $MODEL.bcg service.bcg
if bcg_info -hidden service.bcg | grep -q "no transition with a hidden label" ; then
	echo "nothing is hidden?" >&2
	exit 1
fi
bcg_min -branching -class classes.txt service.bcg service_min.bcg
bcg_info -size service_min.bcg
bcg_info -deadlock service_min.bcg
wc -l < classes.txt

echo "== verification"
if [ "`bcg_cmp -branching service.bcg service_min.bcg`" = TRUE ] ; then
	echo "PASS: reduction"
else
	echo "FAIL: reduction"
fi
cat > spec.aut <<END
des (0, 2, 2)
(0, "PAY !1", 1)
(1, TEA, 0)
END
bcg_io spec.aut .bcg
VERDICT=`bcg_cmp -branching -diag -bfs diff spec service_min`
case "$VERDICT" in
TRUE*)
	echo "PASS: specification" ;;
FALSE*)
	echo "FAIL: specification"
	echo "$VERDICT" | sed 1d
	bcg_io diff.bcg -aut - ;;
esac

echo "== clean"
bcg_min $MODEL
bcg_info -unreachable $MODEL
bcg_labels -scramble "L%d" $MODEL.bcg public
bcg_io -bcg public.bcg -aut public.txt
grep -c L public.txt
rm -f *.bcg
