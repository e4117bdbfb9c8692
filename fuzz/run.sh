#!/bin/bash
# Runs the fuzz targets, two at a time, and keeps what they found.
#
#     fuzz/run.sh SECONDS [TARGET...]
#
# Every target (or each of those that are named) runs for so many seconds, on what
# `fuzz/corpus` has and what earlier runs found, which is in `fuzz/target/corpus`.
# Then `fuzz/corpus/TARGET` becomes the few inputs that cover most; regression inputs,
# with names that begin with `regression`, stay. Logs are in `fuzz/target/logs`, what
# fails in `fuzz/artifacts`. The status is 1 if something failed; what it was, is told.
#
# `FLAGS` replaces the flags of cargo-fuzz; with a nightly compiler and
# AddressSanitizer: `FLAGS= CARGO='cargo +nightly' fuzz/run.sh SECONDS`. `JOBS` is how
# many run at a time.
set -eu

# Of each target at most so many inputs, of so many bytes together, are kept.
files=55
bytes=30000
longest=4096

seconds=${1:?"usage: fuzz/run.sh SECONDS [TARGET...]"}
shift
cd "$(dirname "$0")/.."
flags=${FLAGS---sanitizer none}
cargo=${CARGO-cargo}
if [ "$cargo" = cargo ]; then
    export RUSTC_BOOTSTRAP=1
fi
if [ $# = 0 ]; then
    for source in fuzz/fuzz_targets/*.rs; do
        set -- "$@" "$(basename "$source" .rs)"
    done
fi

# One build for all: they share the libraries.
# shellcheck disable=SC2086
for target in "$@"; do
    $cargo fuzz build $flags "$target"
done
programs=fuzz/target/$(rustc -vV | sed -n 's/^host: //p')/release
mkdir -p fuzz/target/logs

# Where else there are inputs, without the byte of options that most targets have.
seeds() {
    case $1 in
        bcg_reader) echo testdata/bcg ;;
        pattern) echo testdata/kernel ;;
        system) echo testdata/channels ;;
    esac
}

run() {
    target=$1
    found=fuzz/target/corpus/$target
    mkdir -p "$found" "fuzz/artifacts/$target" "fuzz/corpus/$target"
    # shellcheck disable=SC2046
    "$programs/$target" "$found" "fuzz/corpus/$target" $(seeds "$target") \
        -artifact_prefix="fuzz/artifacts/$target/" -max_total_time="$seconds" \
        -timeout=60 -rss_limit_mb=4096 -detect_leaks=0 -print_final_stats=1 \
        > "fuzz/target/logs/$target" 2>&1 \
        || { echo "$target failed: see fuzz/target/logs/$target" >&2; return 1; }
    keep "$target"
}

# Chooses inputs one by one, of those not longer than $longest always the one that
# covers most that is not covered yet, the shorter one of two.
keep() {
    target=$1
    work=fuzz/target/merge/$target
    rm -rf "$work"
    mkdir -p "$work/all" "$work/kept"
    # One folder after the other: cp refuses to copy two files of one name at once.
    for folder in "fuzz/target/corpus/$target" "fuzz/corpus/$target"; do
        find "$folder" -type f -size "-$((longest + 1))c" -exec cp -t "$work/all" {} +
    done
    "$programs/$target" -merge=1 -set_cover_merge=1 -merge_control_file="$work/control" \
        "$work/kept" "$work/all" > "fuzz/target/logs/$target.merge" 2>&1
    # The control file: how many inputs, how many of them known, their names; then
    # their lengths and what they cover.
    awk -v most="$files" -v room="$bytes" '
        NR == 1 { inputs = $1; next }
        NR == 2 { next }
        NR <= inputs + 2 { name[NR - 3] = $0; next }
        $1 == "STARTED" { size[$2] = $3 }
        $1 == "FT" { $1 = ""; k = $2; $2 = ""; covers[k] = $0 }
        END {
            while (most-- > 0) {
                best = ""; gain = 0
                for (k in covers) {
                    n = split(covers[k], one, " "); fresh = 0
                    for (i = 1; i <= n; i++) if (!(one[i] in seen)) fresh++
                    if (fresh == 0 || size[k] > room) { delete covers[k]; continue }
                    if (fresh > gain || fresh == gain && size[k] < size[best]) {
                        best = k; gain = fresh
                    }
                }
                if (best == "") break
                n = split(covers[best], one, " ")
                for (i = 1; i <= n; i++) seen[one[i]] = 1
                room -= size[best]
                delete covers[best]
                print name[best]
            }
        }' "$work/control" > "$work/chosen"
    find "fuzz/corpus/$target" -type f ! -name 'regression*' -delete
    while read -r input; do
        cp "$input" "fuzz/corpus/$target/$(sha1sum < "$input" | cut -d ' ' -f 1)"
    done < "$work/chosen"
}

export -f run keep seeds
export programs seconds files bytes longest
# xargs has status 123 if one of them failed.
printf '%s\n' "$@" | xargs -P "${JOBS-2}" -I {} bash -euc 'run "$@"' run {} || exit 1
du -bs fuzz/corpus
