#!/bin/sh
# The machine of coffee.dot, over standard input and output: each input is a line,
# and so is each output. RESET brings it back to its initial state, and is answered
# with OK. With --faulty, a tea is for free if there are two coins in it.

coins=0
while read -r input; do
    case $input/$coins in
    RESET/*)
        coins=0
        echo OK
        ;;
    coin/2) echo full ;;
    coin/*)
        coins=$((coins + 1))
        echo ok
        ;;
    tea/0 | coffee/[01]) echo no ;;
    tea/*)
        [ "$1$coins" = --faulty2 ] || coins=$((coins - 1))
        echo tea
        ;;
    coffee/2)
        coins=0
        echo coffee
        ;;
    back/*)
        echo "$coins"
        coins=0
        ;;
    *) echo "unknown input $input" ;;
    esac
done
