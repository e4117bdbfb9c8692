# What the statements below call. A statement begins with svl_begin; svl_source and the like
# find its files; then come the commands of Hyades, each by svl_run; svl_end ends it. All
# give a status other than 0 after an error that is to be ignored, and what follows in the
# statement is left out then.
#
# Lines of the script may say `set -e` and `set -u`: what follows is only called where its
# status is looked at (`&& :`, `|| :`), and names no variable that may have no value.

# What lines of the script may change of how the shell reads words and writes files:
# IFS, `set -f` and `set -C`.
svl_enter () {
   svl_flags=$- svl_has_ifs=${IFS+yes} svl_ifs=${IFS-}
   set +fC
   unset IFS
}
svl_leave () {
   if [ "$svl_has_ifs" ]; then IFS=$svl_ifs; else unset IFS; fi
   case $svl_flags in *f*) set -f ;; esac
   case $svl_flags in *C*) set -C ;; esac
}
svl_enter
svl_ended=${SVL_END-} svl_work=${SVL_WORK-}
unset SVL_END SVL_WORK
if [ ! "$svl_work" ]; then
   # Until there is more to be removed. What a signal interrupts is whole by then: the name of
   # the directory is known if it has been made.
   for svl_signal in HUP INT TERM; do
      # shellcheck disable=SC2064
      trap "rm -rf -- \${svl_work:+\"\$svl_work\"}
         trap - $svl_signal; kill -s $svl_signal \$\$" "$svl_signal"
   done
   svl_work=$(mktemp -d "${TMPDIR:-/tmp}/svl.XXXXXX") || exit 2
fi
svl_line=0 svl_depth=0 svl_indent= svl_child= svl_file=
svl_is_unread= svl_temporaries= svl_number=0 svl_is_kept= svl_is_done= svl_network_options= svl_markov_options= svl_tab=$(printf '\t') svl_newline='
'
if [ "$svl_ended" ]; then
   [ ! -f "$svl_work/log" ] || svl_log=$svl_work/log
else
   # What the last run has made, and when it has ended.
   if [ -f "$svl_log" ]; then
      LC_ALL=C grep '^file: ' "$svl_log" > "$svl_work/before" || :
      touch -r "$svl_log" "$svl_work/since" || :
   fi
   if (: > "$svl_log") 2> /dev/null; then :; else
      printf 'svl: note: %s cannot be written: there is no log\n' "$svl_log" >&2
      svl_log=$svl_work/log
      : > "$svl_log"
   fi
   : > "$svl_work/record"
fi

# A line on standard output, which ends the script where nobody can read it.
svl_print () {
   { printf '%s\n' "$svl_indent$1"; } 2> /dev/null && return
   if [ "$svl_is_unread" ]; then
      svl_drop_temporaries
      exit 141
   fi
   printf 'svl: error: cannot write to standard output\n' >&2
   exit 2
}
svl_say () { [ "$svl_silent" ] || svl_print "$1"; }
svl_note () { printf 'svl: %s:%s: note: %s\n' "$svl_script" "$svl_line" "$1" >&2; svl_write_log "note: $1"; }
# A line of the log, whatever there is in the text.
svl_write_log () {
   case $1 in
   *"$svl_newline"*) printf '%s' "$1" | tr '\n' ' ' >> "$svl_log"; printf '\n' >> "$svl_log" ;;
   *) printf '%s\n' "$1" >> "$svl_log" ;;
   esac
}

# That a file has been made.
svl_write_made () {
   svl_absolute "$1"
   svl_write_log "file: $svl_path"
}
# svl_absolute NAME: the name from the root on, in svl_path.
svl_absolute () {
   case $1 in
   /*) svl_path=$1 ;;
   *) svl_path=$PWD/$1 ;;
   esac
}

# A worse end than before: errors (2) count more than limits (3), these more than 1. What
# statements in subshells (pipes, parentheses) have met stands in files.
svl_worse () { printf '%s\n' "$1" >> "$svl_work/statuses"; }
svl_gather () {
   svl_status=0
   [ -f "$svl_work/statuses" ] || return 0
   for svl_code in $(sort -u "$svl_work/statuses"); do
      case $svl_status$svl_code in 01 | 02 | 03 | 12 | 13 | 32) svl_status=$svl_code ;; esac
   done
}
svl_count () { grep -c "$1" "$2" 2> /dev/null || :; }

# svl_error STATUS TEXT: tells it, and ends the script unless errors are ignored.
svl_error () {
   svl_write_log "error: $2"
   svl_worse "$1"
   printf 'svl: %s:%s: error: %s\n' "$svl_script" "$svl_line" "$2" >&2
   [ "$svl_ignore" ] && return 1
   svl_drop_target
   svl_drop_temporaries
   # If this is a subshell, the script ends with the next statement.
   printf '%s\n' "$1" >| "$svl_work/ended"
   exit "$1"
}

# After an error, or an end before that of the script, what earlier runs have made and this one
# has not come to is what the script has made all the same, unless it has been replaced since.
svl_keep_made () {
   [ -s "$svl_work/before" ] || return 0
   LC_ALL=C grep -vxF -f "$svl_log" "$svl_work/before" | while IFS= read -r svl_name; do
      svl_part=${svl_name#file: }
      # Where this cannot be told, it counts as replaced.
      [ -e "$svl_part" ] && [ ! "$(find "$svl_part" -cnewer "$svl_work/since" 2>&1)" ] \
         && svl_write_log "$svl_name"
   done
}

# Ends the script, however it ends.
svl_clean_up () {
   svl_drop_temporaries
   if [ -s "$svl_work/properties" ]; then
      svl_passed=$(svl_count PASS "$svl_work/properties")
      svl_failed=$(svl_count FAIL "$svl_work/properties")
      { printf 'properties: %s, PASS %s, FAIL %s\n' "$((svl_passed + svl_failed))" "$svl_passed" \
         "$svl_failed"; } 2> /dev/null
      rm -f -- "$svl_work/properties"
   fi
   [ "$svl_incremental" ] && [ -s "$svl_work/record" ] && svl_keep_record
   # A subshell that ends, too, may write to it for a moment.
   rm -rf -- "$svl_work/record" "$svl_work" 2> /dev/null || { sleep 1; rm -rf -- "$svl_work"; }
}
svl_at_exit () {
   svl_code=$?
   set +eu
   svl_enter
   trap - EXIT
   svl_finish
   exit "$svl_code"
}
# Ends the script, whose shell has ended with the status in svl_code.
svl_finish () {
   # Ended by a line of the shell: what has failed before counts all the same.
   if [ "$svl_code" -eq 0 ]; then
      if [ ! "$svl_is_done" ] && [ "$svl_has_here_document" ]; then
         printf 'svl: %s: error: the script was not gone through to its end: a here-document (<<) of a line that begins with %% has no end\n' "$svl_script" >&2
         svl_code=2
      else
         svl_gather
         svl_code=$svl_status
      fi
   fi
   if [ ! "$svl_is_done" ] || [ "$svl_code" -ge 2 ]; then svl_keep_made; fi
   svl_write_log "end: status $svl_code"
   svl_clean_up
}
# After the shell that has run the script, where lines of it have kept that from ending it: by
# a `trap` or `exec` of their own.
svl_at_end () {
   svl_stop_others
   for svl_own in "$svl_work"/*/; do
      [ -f "${svl_own}temporaries" ] || continue
      svl_temporaries=$(cat "${svl_own}temporaries")$svl_newline
      svl_drop_temporaries
   done
   [ ! -f "$svl_work/done" ] || svl_is_done=yes
   case $svl_ended in
   *[!0-9]*)
      svl_code=2
      svl_write_log "end: signal $svl_ended"
      svl_keep_made
      rm -f -- "$svl_work/properties"
      svl_clean_up
      ;;
   *) svl_code=$svl_ended; svl_finish ;;
   esac
   exit "$svl_code"
}
svl_at_signal () {
   set +eu
   svl_enter
   trap - EXIT
   trap '' HUP INT TERM PIPE
   svl_was=$svl_child
   # It may have been started a moment ago.
   if [ "$svl_child" ] && [ "$svl_child" != "${!-}" ]; then
      svl_child=$!
      kill -TERM "$svl_child" 2> /dev/null
      # What has not become another program yet may have missed it.
      (trap - TERM; sleep 1; kill -TERM "$svl_child") > /dev/null 2>&1 &
      wait "$svl_child" 2> /dev/null
      kill "$!" 2> /dev/null
      [ ! "${svl_own-}" ] || rm -f -- "$svl_own/child"
   fi
   svl_code=2
   svl_write_log "end: signal $1"
   # What a command was making.
   [ "$svl_was" ] && svl_drop_target
   if svl_is_subshell; then
      svl_drop_temporaries
      # The script ends with the next statement; it may have ended already.
      { svl_worse 2 && printf '2\n' > "$svl_work/ended"; } 2> /dev/null
      rm -rf -- "$svl_own"
      exit 2
   fi
   svl_stop_others
   svl_keep_made
   rm -f -- "$svl_work/properties"
   svl_clean_up
   trap - "$1"
   kill -s "$1" $$
}
# Stops the commands of subshells that know nothing of the signal, as it is ignored behind `&`.
svl_stop_others () {
   printf '2\n' > "$svl_work/ended"
   svl_others=
   for svl_name in "$svl_work"/*/child; do
      [ -f "$svl_name" ] && svl_others="$svl_others $(cat "$svl_name" 2> /dev/null)"
   done
   [ "$svl_others" ] || return 0
   # shellcheck disable=SC2086
   kill -TERM $svl_others 2> /dev/null
   # For what these subshells remove.
   sleep 1
}
svl_at_signals () {
   trap 'svl_at_signal HUP' HUP
   trap 'svl_at_signal INT' INT
   trap 'svl_at_signal TERM' TERM
}
# Pipes and parentheses, where `$$` is still that of the script.
svl_is_subshell () { [ "$(exec sh -c 'echo "$PPID"')" != $$ ]; }
svl_end_of_script () {
   svl_enter
   svl_is_done=yes
   : > "$svl_work/done"
   svl_gather
   exit "$svl_status"
}

# A word as a shell takes it; a text as networks have it between quotes.
svl_quote () {
   case $1 in
   '' | *[!A-Za-z0-9_./=+,@%:-]*) printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")" ;;
   *) printf '%s' "$1" ;;
   esac
}
svl_escape () {
   case $1 in
   *[\\\"]*) printf '%s\n' "$1" | sed 's/[\\"]/\\&/g' ;;
   *) printf '%s' "$1" ;;
   esac
}

# The name of a file in a network: from the directory of the script, in which networks are
# but for those that are written to another one.
svl_place () {
   case $1 in
   /*) svl_escape "$1"; return ;;
   esac
   case $svl_file in
   */*.exp) svl_escape "$PWD/$1" ;;
   *) svl_escape "$1" ;;
   esac
}

# svl_begin LINE TEXT
svl_begin () {
   svl_enter
   svl_line=$1 svl_text=$2 svl_file= svl_inputs= svl_key= svl_what= svl_verdict= svl_is_question=
   svl_formula_text= svl_formula_file= svl_is_fresh= svl_evaluator=
   svl_known= svl_sources=0
   svl_with=${DEFAULT_VERIFY_TOOL-}
   if [ -f "$svl_work/ended" ]; then
      svl_code=$(cat "$svl_work/ended")
      exit "${svl_code:-2}"
   fi
   # What only this statement has: others may run at the same time in other subshells,
   # which share all else.
   svl_own=$(mktemp -d "$svl_work/XXXXXX") || exit 2
   # Subshells forget what is done at signals, and what they have started goes on. One whose
   # pipe is closed ends when it prints, after what is to be kept.
   svl_is_subshell && { svl_at_signals; trap 'svl_is_unread=yes' PIPE; }
   svl_say "svl: $2"
   svl_write_log ''
   svl_write_log "$svl_script:$1: $2"
   svl_check_variables
}

# Options in the variables that give them to CADP's tools.
svl_check_variables () {
   svl_network_options= svl_markov_options=
   for svl_name in ALDEBARAN BCG_CMP BCG_GRAPH BCG_INFO BCG_IO BCG_LABELS BCG_LIB BCG_MIN \
      BCG_OPEN BISIMULATOR C_OPEN CAESAR CAESAR_ADT CAESAR_INDENT CAESAR_OPEN CUNCTATOR \
      DETERMINATOR DISTRIBUTOR EVALUATOR EVALUATOR3 EVALUATOR4 EVALUATOR5 EXECUTOR EXHIBITOR \
      EXP_OPEN EXP2C FSP_OPEN FSP2LOTOS GENERATOR LNT_OPEN LNT2LOTOS LOTOS_OPEN LPP NUPN_INFO \
      PREDICTOR PROJECTOR REDUCTOR SCRUTATOR SEQ_OPEN SIMULATOR TERMINATOR TGV XTL; do
      eval "svl_value=\${${svl_name}_OPTIONS-}"
      [ "$svl_value" ] || continue
      set -f
      # shellcheck disable=SC2086
      set -- $svl_value
      set +f
      svl_check_options "$@" || return
   done
   return 0
}
# svl_check_options WORD …: options of the tool svl_name: those that are applied, those without
# effect, and of the tools that are called here no others.
svl_check_options () {
   while [ $# -gt 0 ]; do
      svl_option=$1
      shift
      case $svl_name$svl_option in
      BCG_MIN-epsilon | EXP_OPEN-hidden | EXP_OPEN-termination | EXP_OPEN-coaction | *-cc | *-tmp)
         if [ $# -eq 0 ]; then
            svl_error 2 "${svl_name}_OPTIONS: a value is missing after $svl_option"
            return
         fi
         svl_value=$1
         shift
         ;;
      esac
      case $svl_name$svl_option in
      BCG_MIN-self) svl_markov_options="$svl_markov_options --self" ;;
      BCG_MIN-epsilon) svl_markov_options="$svl_markov_options --epsilon=$svl_value" ;;
      EXP_OPEN-ccs | EXP_OPEN-csp | EXP_OPEN-lotos | EXP_OPEN-elotos | EXP_OPEN-mcrl)
         svl_network_options="$svl_network_options --language=${svl_option#-}"
         ;;
      EXP_OPEN-hidden | EXP_OPEN-termination | EXP_OPEN-coaction)
         svl_network_options="$svl_network_options -$svl_option=$svl_value"
         ;;
      EXP_OPEN-case | EXP_OPEN-nocheck) svl_network_options="$svl_network_options -$svl_option" ;;
      # Partial order reductions: without them, systems are larger and equivalent.
      EXP_OPEN-branching | EXP_OPEN-deadpreserving | EXP_OPEN-weaktrace) ;;
      *-hide | *-rename | *-total)
         svl_error 2 "${svl_name}_OPTIONS has the option $svl_option, which would change results: say it in the script instead (hide, rename, total reduction)"
         return
         ;;
      BCG_MIN-normal | EXHIBITOR-case | SEQ_OPEN-cache) ;;
      *-monitor | *-stat | *-bfs | *-dfs | *-silent | *-verbose | *-version | *-warning | *-debug | \
         *-english | *-french | *-create | *-update | *-remove | *-cc | *-tmp | *-parse | *-unparse | \
         *-uncompress | *-compress | *-size | *-register | *-short | *-medium | *-acyclic | \
         *-tauconfluence | *-minimal) ;;
      BCG_CMP-* | BCG_LABELS-* | BCG_IO-* | BCG_MIN-* | BCG_OPEN-* | BISIMULATOR-* | \
         DETERMINATOR-* | EVALUATOR*-* | EXHIBITOR-* | EXP_OPEN-* | GENERATOR-* | PROJECTOR-* | \
         REDUCTOR-* | SEQ_OPEN-* | TERMINATOR-*)
         svl_error 2 "${svl_name}_OPTIONS has the option $svl_option, which is not applied here: say in the script what it means, or leave it out"
         return
         ;;
      # A number may belong to an option that has no effect.
      BCG_MIN[!0-9-]* | EXP_OPEN[!0-9-]* | BISIMULATOR[!0-9-]*)
         svl_error 2 "${svl_name}_OPTIONS: found $svl_option, expected an option, which begins with -"
         return
         ;;
      esac
   done
}

# Files of a statement.
svl_input () {
   svl_inputs=$svl_inputs$1$svl_newline
}
svl_target () {
   svl_name=$1
   case $svl_name in -*) svl_name=./$svl_name ;; esac
   case ${svl_name##*/} in
   *"$svl_newline"*) svl_error 2 "the name of the file to write has a line break"; return ;;
   ?*.*) ;;
   '') svl_error 2 "the name of the file to write is empty"; return ;;
   *) svl_name=$svl_name.bcg ;;
   esac
   case $svl_name in
   *.lnt | *.lotos | *.lot | *.fsp | *.c)
      svl_error 2 "\"$svl_name\" is a source, and no state space is written to it"
      return
      ;;
   esac
   # What is not known to be written is not removed either.
   case $svl_name in
   *.aut | *.bcg | *.seq) ;;
   *)
      svl_why=$("$svl_hyades" svl --unwritable "$svl_name" ${svl_is_question:+reason} 2> /dev/null)
      [ "$svl_why" ] && { svl_error 2 "\"$svl_name\": $svl_why"; return; }
      ;;
   esac
   svl_file=$svl_name
}
svl_reason () {
   svl_is_question=yes
   svl_target "$1" || return
   svl_is_question=yes
}
svl_is_network () {
   case $svl_file in *.exp) return 0 ;; *) return 1 ;; esac
}

# svl_expect_sources NUMBER: so many files are to be looked for. Where one of them is not
# found, the others are not known.
svl_expect_sources () { svl_sources=$1; }
# svl_source VARIABLE NAME PROCESS NAMES: the file to read. NAMES are those that tell a
# process from others, the shortest first.
svl_source () {
   svl_variable=$1 svl_name=$2 svl_process=$3
   shift 3
   case $svl_name in
   *'['*)
      case $svl_name in
      *.aut | *.bcg) ;;
      *) svl_source_process "$svl_variable" "$svl_name" "$@"; return ;;
      esac
      ;;
   esac
   svl_sources=$((svl_sources - 1))
   case $svl_name in -*) svl_name=./$svl_name ;; esac
   if [ "$svl_process" ]; then
      svl_compiled "$svl_name" "$svl_process" "$@"
      return
   fi
   case ${svl_name##*/} in
   *.lnt | *.lotos | *.lot | *.fsp | *.c) svl_compiled "$svl_name" ''; return ;;
   ?*.*) ;;
   '') svl_error 2 "the name of a file is empty"; return ;;
   *) svl_name=$svl_name.bcg ;;
   esac
   svl_found_source "$svl_name"
}
svl_found_source () {
   eval "$svl_variable=\$1"
   svl_input "$1"
}
# svl_source_process VARIABLE PROCESS NAMES
svl_source_process () {
   svl_sources=$((svl_sources - 1)) svl_variable=$1
   if [ ! "${DEFAULT_PROCESS_FILE-}" ]; then
      svl_error 2 "$2 is a process of the file that DEFAULT_PROCESS_FILE names, and this has no value"
      return
   fi
   shift
   svl_compiled "$DEFAULT_PROCESS_FILE" "$@"
}

# svl_compiled FILE PROCESS NAMES: what takes the place of a source that has to be compiled.
svl_compiled () {
   svl_source=$1 svl_process=$2 svl_found=
   svl_stem=${svl_source%.*}
   case ${svl_source##*/} in *.*) ;; *) svl_stem=$svl_source ;; esac
   shift 2
   # The values of variables tell processes apart.
   [ "$svl_process" ] && [ $# -eq 0 ] && set -- "$(printf '%s' "$svl_process" | tr -d ' \t\n')"
   [ $# -eq 0 ] && set -- ''
   for svl_name in "$@"; do
      svl_last=${svl_name:+:$svl_name}
      for svl_called in "$svl_source$svl_last" "$svl_stem$svl_last" "$svl_name"; do
         case $svl_newline$svl_lts in
         *"$svl_newline$svl_called="*)
            svl_found=$svl_newline$svl_lts
            svl_found=${svl_found#*"$svl_newline$svl_called="}
            svl_found=${svl_found%%"$svl_newline"*}
            break 2
            ;;
         esac
      done
      for svl_called in "$svl_stem$svl_last.bcg" "$svl_stem$svl_last.aut"; do
         [ -e "$svl_called" ] && svl_found=$svl_called && break 2
      done
   done
   if [ "$svl_found" ]; then
      svl_note "\"$svl_found\" takes the place of \"$svl_source\"${svl_process:+ $svl_process}"
      svl_found_source "$svl_found"
      return
   fi
   case $svl_source in
   *.lnt) svl_language=LNT svl_tool=lnt.open ;;
   *.lotos | *.lot) svl_language=LOTOS svl_tool=caesar.open ;;
   *.fsp) svl_language=FSP svl_tool=fsp.open ;;
   *.c) svl_language=C svl_tool=c.open ;;
   *) svl_error 2 "\"$svl_source\" is no source that a process could be taken from"; return ;;
   esac
   svl_called=$(svl_quote "$svl_stem${1:+:$1}.bcg")
   svl_error 2 "\"$svl_source\" is $svl_language, which Hyades does not compile; run \`$svl_tool${svl_process:+ -root $(svl_quote "$svl_process")} $(svl_quote "$svl_source") generator $svl_called\` where CADP is, and put $svl_called into the working directory"
}

# svl_temporary VARIABLE ENDING: the name of a new file.
svl_temporary () {
   svl_stem=${svl_file:-${svl_is_question:+reason}}
   svl_stem=${svl_stem##*/}
   svl_stem=$(printf '%s' "${svl_stem%.*}" | tr -c 'A-Za-z0-9_-' _)
   while :; do
      svl_number=$((svl_number + 1))
      if [ "$svl_is_kept" ]; then
         svl_name=${svl_file%.*}_$svl_number.$2
         svl_is_free "$svl_name" && break
         continue
      fi
      svl_name=svl$(printf %03d "$svl_number")_$svl_stem.$2
      # It is known before it is there, as a signal may come.
      [ -e "$svl_name" ] && continue
      svl_others=$svl_temporaries
      svl_temporaries=$svl_temporaries$PWD/$svl_name$svl_newline
      printf '%s' "$svl_temporaries" > "$svl_own/temporaries"
      svl_write_log "temporary: $PWD/$svl_name"
      (set -C; { : > "$svl_name"; } 2> /dev/null) && break
      # Another one's.
      svl_temporaries=$svl_others
      printf '%s' "$svl_temporaries" > "$svl_own/temporaries"
      if [ ! -e "$svl_name" ]; then
         svl_error 2 "cannot write $svl_name in this directory"
         return
      fi
   done
   [ "$svl_is_kept" ] && svl_write_made "$svl_name"
   eval "$1=\$svl_name"
}
# Whether a file that belongs to a network may have this name: there is no other, or the
# last run has made it, and this one has not.
svl_is_free () {
   [ -e "$1" ] || return 0
   svl_absolute "$1"
   LC_ALL=C grep -qxF "file: $svl_path" "$svl_log" && return 1
   LC_ALL=C grep -qxF "file: $svl_path" "$svl_work/before" 2> /dev/null
}
svl_drop_temporaries () {
   [ "$svl_debug" ] && svl_temporaries=
   while [ "$svl_temporaries" ]; do
      rm -f -- "${svl_temporaries%%"$svl_newline"*}"
      svl_temporaries=${svl_temporaries#*"$svl_newline"}
   done
}
# A temporary file that no network consists of, whether such files are kept or not.
svl_scratch () {
   svl_was_kept=$svl_is_kept svl_is_kept=
   svl_temporary "$@" || { svl_is_kept=$svl_was_kept; return 1; }
   svl_is_kept=$svl_was_kept
}
svl_keep () {
   svl_is_kept=${1-}
   [ "$svl_is_kept" ] && svl_number=0
   return 0
}
# svl_spell_network TEXT: the text of a network in svl_spelt, in which networks of other
# directories stand as they read by themselves: their files start from theirs.
svl_spell_network () {
   svl_spelt=$1
   printf '%s\n' "$1" | grep -q '"[^"]*/[^"]*\.exp"' || return 0
   svl_run reach --self-contained --include own --expression "$1"
   if [ "$svl_code" -ne 0 ]; then
      svl_error 2 "a network that is part of it cannot be had"
      return
   fi
   svl_spelt=$(cat "$svl_own/out")
}
svl_write_part () {
   svl_spell_network "$2" && svl_write "$1" "$svl_spelt"
}
# svl_write FILE TEXT [NAME], which messages call it.
svl_write () {
   if { printf '%s\n' "$2" > "$1"; } 2> /dev/null; then :; else
      svl_cannot_write "${3:-$1}"
   fi
}
svl_cannot_write () {
   case $1 in
   */*) [ -d "${1%/*}" ] || { svl_error 2 "cannot write $1: there is no directory ${1%/*}"; return; } ;;
   esac
   svl_error 2 "cannot write $1"
}

# The files that inputs consist of, and that formulas are in or include, one a line, in the
# file `depends` of the statement, which is made once. Not 0 if some may not have been told,
# as there is an error in one of them, or not all sources have been looked for.
svl_depends () {
   if [ ! "$svl_known" ]; then
      svl_known=0
      svl_list_depends > "$svl_own/depends" || svl_known=1
   fi
   svl_all=$svl_known
   if [ "$svl_sources" -gt 0 ]; then svl_known= svl_all=1; fi
   return "$svl_all"
}
svl_list_depends () {
   svl_rest=$svl_inputs svl_all=0
   set --
   while [ "$svl_rest" ]; do
      set -- "$@" "${svl_rest%%"$svl_newline"*}"
      svl_rest=${svl_rest#*"$svl_newline"}
   done
   [ $# -eq 0 ] || "$svl_hyades" svl --consists-of "$@" || svl_all=1
   if [ "$svl_formula_file" ]; then
      printf '%s\n' "$svl_formula_file"
      [ ! -e "$svl_formula_file" ] || "$svl_hyades" check --depend "--formula=$svl_formula_file" || svl_all=1
   fi
   if [ "$svl_formula_text" ]; then
      svl_rest=$(svl_libraries)
      [ "$svl_rest" ] && printf '%s\n' "$svl_rest" && svl_rest=$svl_rest$svl_newline
      set --
      while [ "$svl_rest" ]; do
         set -- "$@" "--library=${svl_rest%%"$svl_newline"*}"
         svl_rest=${svl_rest#*"$svl_newline"}
      done
      "$svl_hyades" check --depend "-f$svl_formula_text" "$@" || svl_all=1
   fi
   return "$svl_all"
} < /dev/null 2> /dev/null
# Whether the statement reads its own target, by whatever name, be it as a component of a
# network or a library: 0 if it does, 2 if it may, as not all is known that it reads.
svl_reads_target () {
   svl_all=0
   svl_depends || svl_all=$?
   svl_has_target < "$svl_own/depends" && return 0
   [ "$svl_all" -eq 0 ] && return 1
   return 2
}
# Whether the target may not go, as this statement or one before it reads it: as above.
svl_keeps_target () {
   svl_reads_target && return 0
   svl_all=$?
   [ -f "$svl_work/inputs" ] && svl_has_target < "$svl_work/inputs" && return 0
   return "$svl_all"
}
# Notes what the statement has read, is there, and neither this run nor the last has made: the
# inputs of the script.
svl_note_inputs () {
   svl_depends || :
   sed -n 's/^file: //p' "$svl_log" > "$svl_own/made"
   [ ! -f "$svl_work/before" ] || sed 's/^file: //' "$svl_work/before" >> "$svl_own/made"
   while IFS= read -r svl_part; do
      [ -e "$svl_part" ] || continue
      svl_absolute "$svl_part"
      printf '%s\n' "$svl_path"
   done < "$svl_own/depends" | LC_ALL=C grep -vxF -f "$svl_own/made" >> "$svl_work/inputs"
}
svl_has_target () {
   while IFS= read -r svl_part; do
      [ "$svl_part" = "$svl_file" ] && return 0
      # All shells that are in use have it.
      # shellcheck disable=SC3013
      [ "$svl_part" -ef "$svl_file" ] && return 0
   done
   return 1
}
# Removes the old file that the statement would make, unless the script has read it (then 1)
# or may have (2).
svl_drop_target () {
   [ "$svl_file" ] && [ -f "$svl_file" ] || return 0
   svl_is_read=0
   svl_keeps_target || svl_is_read=$?
   case $svl_is_read in
   0) return 1 ;;
   1) rm -f -- "$svl_file"; return 0 ;;
   esac
   return 2
}

# A symbolic link is replaced by the target, and what it points to stays as it is. If that is
# read under the name of the link, this becomes a copy of it.
svl_replace_link () {
   [ "$svl_file" ] && [ -L "$svl_file" ] || return 0
   svl_copy=$svl_file.tmp${svl_own##*/}
   if [ -e "$svl_file" ] && { svl_reads_target || [ $? -eq 2 ]; }; then
      cp -pRL -- "$svl_file" "$svl_copy" || { rm -rf -- "$svl_copy"; return 1; }
   fi
   rm -f -- "$svl_file" || return
   if [ -e "$svl_copy" ]; then mv -- "$svl_copy" "$svl_file"; fi
}

# What the command has said on standard error. A network that the statement has been made to
# is gone when somebody looks for it: the statement is the place.
svl_show_errors () {
   [ -s "$svl_own/err" ] || return 0
   : > "$svl_own/names"
   if [ ! "$svl_debug" ]; then
      svl_temporary_name='svl[0-9]\{3,\}_[A-Za-z0-9_-]*'
      {
         printf 's/: --self keeps/: BCG_MIN_OPTIONS="-self" keeps/\n'
         # A line that tells how much more there is has no place.
         printf 's/^\([a-z_]*: error: \)\{0,1\}%s\\.exp:\([0-9]*:[0-9]*:\)\{0,1\} /\\1%s: /\n' \
            "$svl_temporary_name" "$(svl_pattern "$svl_script:$svl_line")"
         [ ! -f "$svl_own/interfaces" ] || cat "$svl_own/interfaces"
         printf 's/the interface of %s#[0-9]*-||\([^ ]*\) is wrong/the interface \\1 is wrong/\n' \
            "$svl_temporary_name"
         printf 's/the interface %s[.a-z]* is wrong/an interface is wrong/\n' "$svl_temporary_name"
      } > "$svl_own/names"
   fi
   sed -f "$svl_own/names" "$svl_own/err" | while IFS= read -r svl_word; do
      case $svl_word in
      *'is not written: there is no witness') continue ;;
      -f:[0-9]*:[0-9]*:*) svl_place_in_formula "${svl_word#-f:}" '' ;;
      'check: error: -f:'[0-9]*:[0-9]*:*)
         svl_place_in_formula "${svl_word#check: error: -f:}" ' error:'
         ;;
      esac
      printf '%s\n' "$svl_word"
   done >&2
}
# A text as it stands between slashes of sed, as a pattern or not.
svl_pattern () { printf '%s\n' "$1" | sed 's/[]&/\\.*^$[]/\\&/g'; }
# svl_place_in_formula MESSAGE KIND: a message about a place in the formula, in svl_word as one
# about the script. Where values of variables are longer or shorter than their names, the
# column differs.
svl_place_in_formula () {
   svl_rest=$1
   svl_row=${svl_rest%%:*} svl_rest=${svl_rest#*:}
   svl_column=${svl_rest%%:*} svl_rest=${svl_rest#*:}
   case $svl_row$svl_column in *[!0-9]*) return ;; esac
   [ "$svl_row" -gt 1 ] || svl_column=$((svl_column + svl_formula_column - 1))
   svl_word=$svl_script:$((svl_row + svl_formula_line - 1)):$svl_column:$2$svl_rest
}

# Waits for the command that was started last; its status is in svl_code. Who ends the script
# finds it by the file `child`.
svl_wait () {
   printf '%s\n' "$!" > "$svl_own/child"
   wait "$!"
   svl_code=$?
   svl_child=
   rm -f -- "$svl_own/child"
}
# svl_run COMMAND ARGUMENTS: runs a command; its status is in svl_code.
svl_run () {
   svl_replace_link || { svl_cannot_write "$svl_file"; svl_code=2; return; }
   svl_given= svl_more=
   for svl_word in "$@"; do
      case $svl_word in
      -*) ;;
      *.exp)
         svl_more=$svl_network_options
         # What the statement has been made to is what the script says.
         case $svl_newline$svl_temporaries in *"/$svl_word$svl_newline"*) svl_given=--given ;; esac
         ;;
      esac
   done
   set -f
   # shellcheck disable=SC2086
   set -- "$@" $svl_more
   set +f
   {
      printf '   $ hyades'
      for svl_word in "$@"; do
         printf ' '
         svl_quote "$svl_word"
      done
      printf '\n'
   } | sed '2,$s/^/   /' >> "$svl_log"
   rm -f -- "$svl_own/stats"
   svl_child=${!:-none}
   # Options are numbers and sizes.
   # shellcheck disable=SC2086
   "$svl_hyades" "$@" $svl_given $svl_options --stats "$svl_own/stats" \
      > "$svl_own/out" 2> "$svl_own/err" < /dev/null &
   svl_wait
   sed 's/^/   /' "$svl_own/err" "$svl_own/out" >> "$svl_log"
   svl_show_errors
   if [ -f "$svl_own/stats" ]; then
      sed -n 's/^  "seconds": \([0-9.]*\).*/   \1 seconds/p
         s/^  "peak_memory": \([0-9]*\).*/   \1 bytes of memory/p' "$svl_own/stats" >> "$svl_log"
   fi
}

# A command that makes a file.
svl_make () {
   svl_run "$@"
   case $svl_code in
   0) return 0 ;;
   3) svl_error 3 "a limit was reached" ;;
   *) svl_error 2 "hyades $1 ended with status $svl_code" ;;
   esac
}

# svl_make_states OUTPUT COMMAND ARGUMENTS: one that makes an LTS. What this is made from, a
# component for example, it replaces when it is whole.
svl_make_states () {
   svl_to=$1 svl_states=$1
   shift
   svl_is_apart=
   if [ "$svl_to" = "$svl_file" ] && [ -e "$svl_to" ] && { svl_reads_target || [ $? -eq 2 ]; }; then
      svl_is_apart=yes
      for svl_word in "$@"; do
         # By itself it may be replaced.
         # shellcheck disable=SC3013
         [ "$svl_word" -ef "$svl_to" ] && svl_is_apart=
      done
   fi
   if [ ! "$svl_is_apart" ]; then svl_make "$@" -o "$svl_states"; return; fi
   # In its own format, as not every LTS can be written in each; a directory is made by a copy.
   case $svl_to in
   *.plts) svl_scratch svl_states bcg || return ;;
   *.gz | *.zst | *.xz | *.bz2)
      svl_ending=${svl_to%.*}
      svl_scratch svl_states "${svl_ending##*.}.${svl_to##*.}" || return
      ;;
   *) svl_scratch svl_states "${svl_to##*.}" || return ;;
   esac
   svl_make "$@" -o "$svl_states" || return
   case $svl_to in
   *.plts) svl_make transcode "$svl_states" -o "$svl_to" ;;
   *) mv -f -- "$svl_states" "$svl_to" || svl_cannot_write "$svl_to" ;;
   esac
}

# svl_reach INPUT OUTPUT, svl_convert INPUT OUTPUT
# shellcheck disable=SC2086
svl_reach () { svl_make_states "$2" reach "$1" $svl_limits; }
svl_convert () {
   if [ "$1" = "$2" ]; then
      svl_run describe "$1"
      case $svl_code in 0) return 0 ;; *) svl_error 2 "hyades describe ended with status $svl_code"; return ;; esac
   fi
   svl_make_states "$2" transcode "$1"
}

# svl_alone VARIABLE INPUT: the input; a network by itself, where it has options that are not for
# others beside it.
svl_alone () {
   eval "$1=\$2"
   [ "$svl_network_options" ] || return 0
   case $2 in
   *.exp) svl_scratch "$1" bcg && eval "svl_reach \"\$2\" \"\$$1\"" ;;
   esac
}

# svl_limit INPUT …: the limits of a command that explores what is no LTS only.
svl_limit () {
   svl_limit=
   for svl_word in "$@"; do
      case $svl_word in *.exp | *.toml) svl_limit=$svl_limits ;; esac
   done
}

# A relation by the name that Hyades' commands have for it.
svl_name_relation () {
   svl_relation=$1 svl_kind=$2
   case $svl_relation in
   stochastic\ *) svl_kind=--rate svl_relation=${svl_relation#* } ;;
   probabilistic\ *) svl_kind=--prob svl_relation=${svl_relation#* } ;;
   esac
   case $svl_relation in 'weak trace') svl_relation=weaktrace ;; esac
}

# Whether the relation is a congruence that has a smallest LTS.
svl_is_congruence () {
   case $svl_relation in
   strong | divbranching | branching | rooted-branching | rooted-weak | dpweak | observational | \
      weak | safety | weaktrace | trace | sim | ready-sim) return 0 ;;
   esac
   return 1
}
# svl_check_congruence prio|"": whether the default relation may reduce parts one by one.
svl_check_congruence () {
   if [ "${DEFAULT_REDUCTION_RELATION-}" ]; then
      svl_check_default DEFAULT_REDUCTION_RELATION "$DEFAULT_REDUCTION_RELATION" || return
   fi
   svl_name_relation "${DEFAULT_REDUCTION_RELATION:-strong}" ''
   case $1$svl_relation in
   priostrong | sharp | divsharp | tau-divergence | tau-compression | tau-confluence) ;;
   *)
      [ ! "$1" ] && svl_is_congruence && return
      svl_error 2 "DEFAULT_REDUCTION_RELATION: $svl_relation is not known to be a congruence${1:+ for priorities}, so parts may not be reduced by it one by one: name another relation in the script"
      ;;
   esac
}

# svl_check_default VARIABLE VALUE: whether a variable that steers names a relation.
svl_check_default () {
   svl_name_relation "$2" ''
   svl_is_congruence && return
   "$svl_hyades" minimize -e "$svl_relation" --version > /dev/null 2>&1 && return
   "$svl_hyades" reduce -r "$svl_relation" --version > /dev/null 2>&1 && return
   svl_error 2 "$1: unknown relation \`$2\`; there are $svl_relations"
}

# svl_reduce RELATION KIND total|partial HOLD INPUT OUTPUT
# shellcheck disable=SC2086
svl_reduce () {
   if [ ! "$1" ] && [ "${DEFAULT_REDUCTION_RELATION-}" ]; then
      svl_check_default DEFAULT_REDUCTION_RELATION "$DEFAULT_REDUCTION_RELATION" || return
   fi
   svl_name_relation "${1:-${DEFAULT_REDUCTION_RELATION:-strong}}" "$2"
   case ${4:+hold }$svl_relation in
   sharp | divsharp)
      svl_error 2 "$svl_relation depends on which labels are strong: name them, as in $svl_relation reduction hold A, B of …"
      return
      ;;
   hold\ sharp | hold\ divsharp) ;;
   hold\ *)
      svl_error 2 "found \`hold\` with $svl_relation, expected it with sharp or divsharp, which alone depend on labels that are held"
      return
      ;;
   esac
   svl_limit "$5"
   # These may be larger than what they are made from.
   case $svl_relation in trace | weaktrace) svl_limit=$svl_limits ;; esac
   case $svl_relation in
   tau-divergence | tau-compression | tau-confluence)
      case $3 in
      total)
         svl_scratch svl_reduced bcg || return
         svl_make reduce -r "$svl_relation" "$5" -o "$svl_reduced" $svl_limit || return
         svl_make_states "$6" minimize -e strong "$svl_reduced"
         ;;
      *) svl_make_states "$6" reduce -r "$svl_relation" "$5" $svl_limit ;;
      esac
      return
      ;;
   esac
   case $3$svl_relation in
   partialtau\*.a | partialtaustar | partialtau-star)
      svl_make_states "$6" reduce -r tau-star "$5" $svl_limit
      return
      ;;
   esac
   if [ "$4" ]; then
      svl_make_states "$6" minimize -e "$svl_relation" --strong-labels "$4" --strong-match gate "$5" $svl_limit
   else
      case $svl_kind in
      '') svl_markov= ;;
      --rate) svl_markov=$svl_markov_options ;;
      # Without rates there are no steps of a state to itself to be kept.
      *) svl_markov=$(printf '%s\n' "$svl_markov_options" | sed 's/ --self//g') ;;
      esac
      svl_make_states "$6" minimize -e "$svl_relation" ${svl_kind:+"$svl_kind"} $svl_markov "$5" $svl_limit
   fi
}

# The same, where components of a network are reduced first, and a few at a time.
svl_smart () {
   if [ ! "$1" ] && [ "${DEFAULT_REDUCTION_RELATION-}" ]; then
      svl_check_default DEFAULT_REDUCTION_RELATION "$DEFAULT_REDUCTION_RELATION" || return
   fi
   svl_name_relation "${1:-${DEFAULT_REDUCTION_RELATION:-strong}}" "$2"
   # Not for labels that are held, or rates, nor where there are no components.
   svl_is_composed=
   case $5 in *.exp) [ ! "$svl_kind$4" ] && svl_is_congruence && svl_is_composed=yes ;; esac
   if [ ! "$svl_is_composed" ]; then svl_reduce "$@"; return; fi
   svl_scratch svl_parts bcg || return
   # shellcheck disable=SC2086
   svl_make reach --compositional -e "$svl_relation" "$5" -o "$svl_parts" $svl_limits || return
   svl_reduce "$1" "$2" "$3" "$4" "$svl_parts" "$6"
}

# svl_gates VARIABLE FILE: the gates of the visible labels that it can reach, as networks list
# them.
svl_gates () {
   svl_scratch svl_interface bcg || return
   svl_reach "$2" "$svl_interface" || return
   svl_run reach --labels --expression "\"$(svl_escape "$svl_interface")\""
   if [ "$svl_code" -ne 0 ]; then
      svl_error 2 "the labels of $2 cannot be had"
      return
   fi
   svl_list=$(sed 's/[!?( '"$svl_tab"'].*//; /^i$/d; /^exit$/d; /^$/d; s/[\\"]/\\&/g; s/.*/"&"/' "$svl_own/out" | sort -u | paste -s -d , -)
   eval "$1=\$svl_list"
}

# svl_project INPUT INTERFACE SYNC GUESS OUTPUT
svl_project () {
   svl_scratch svl_parts bcg && svl_alone svl_projected "$1" || return
   svl_interface=$2
   case $2 in
   *.exp) svl_scratch svl_interface bcg && svl_reach "$2" "$svl_interface" || return ;;
   esac
   printf '   $ hyades bcg_open %s projector -sync -gate %s %s %s %s\n' \
      "$svl_projected" "$3" "$4" "$svl_interface" "$svl_parts" >> "$svl_log"
   svl_child=${!:-none}
   # A name that is an option is none of a file.
   # shellcheck disable=SC2086
   HYADES_OPTIONS=$svl_options "$svl_hyades" bcg_open "$svl_projected" projector -sync -gate "$3" $4 "$svl_interface" "$svl_parts" \
      > "$svl_own/out" 2> "$svl_own/err" < /dev/null &
   svl_wait
   sed 's/^/   /' "$svl_own/err" >> "$svl_log"
   cat "$svl_own/err" >&2
   # What is made is called so where the interface is found to be wrong.
   svl_stem=${5##*/}
   printf 's/the interface of %s is wrong/the interface %s is wrong/\n' \
      "$(svl_pattern "${svl_stem%.*}")" "$(svl_pattern "$2")" >> "$svl_own/interfaces"
   case $svl_code in
   0) svl_reach "$svl_parts" "$5" ;;
   *) svl_error 2 "hyades bcg_open ended with status $svl_code" ;;
   esac
}
svl_write_network () {
   if [ -d "$svl_file" ]; then svl_error 2 "\"$svl_file\" is a directory, and no network is written to it"; return; fi
   if [ -f "$svl_file" ] && svl_reads_target; then
      svl_error 2 "\"$svl_file\" is a component, and the network would include itself"
      return
   fi
   svl_spell_network "$1" || return
   svl_write "$svl_file.tmp${svl_own##*/}" "$svl_spelt" "$svl_file" || return
   mv -f -- "$svl_file.tmp${svl_own##*/}" "$svl_file" || svl_cannot_write "$svl_file"
}

# What has been made.
svl_made () {
   # What has replaced a source is no file that could be made again.
   svl_keeps_target || svl_write_made "$svl_file"
   if [ "$svl_is_fresh" ]; then
      svl_say "\"$svl_file\": as it was"
      # What belongs to it has been made by the script, too.
      if svl_is_network; then
         "$svl_hyades" svl --consists-of "$svl_file" 2> /dev/null | while IFS= read -r svl_name; do
            svl_absolute "$svl_name"
            svl_name="file: $svl_path"
            LC_ALL=C grep -qxF "$svl_name" "$svl_work/before" 2> /dev/null && svl_write_log "$svl_name"
         done
      fi
   elif svl_is_network; then
      svl_say "\"$svl_file\": a network"
   else
      svl_size=$(sed -n '/"outputs": \[$/,/^  \]/s/.*"states": \([0-9]*\).*/\1/p' "$svl_own/stats" | tail -n 1)
      svl_count=$(sed -n '/"outputs": \[$/,/^  \]/s/.*"transitions": \([0-9]*\).*/\1/p' "$svl_own/stats" | tail -n 1)
      svl_states=states svl_transitions=transitions
      [ "$svl_size" = 1 ] && svl_states=state
      [ "$svl_count" = 1 ] && svl_transitions=transition
      case $svl_size in
      '') svl_say "\"$svl_file\": as it is" ;;
      *) svl_say "\"$svl_file\": $svl_size $svl_states, $svl_count $svl_transitions" ;;
      esac
      svl_write_log "   \"$svl_file\": $svl_size $svl_states, $svl_count $svl_transitions"
   fi
   svl_remember ''
}

# Questions. svl_answer TRUE-STATUS FALSE-STATUS
svl_answer () {
   svl_is_question=yes
   case $svl_code in
   "$1") svl_verdict=TRUE ;;
   "$2") svl_verdict=FALSE ;;
   3) svl_error 3 "there is no verdict: a limit was reached"; return ;;
   *) svl_error 2 "the question could not be answered (status $svl_code)"; return ;;
   esac
   [ "$svl_file" ] && [ -e "$svl_file" ] && svl_write_made "$svl_file"
   return 0
}
svl_before_question () {
   svl_is_question=yes
   svl_drop_target
   # Where it may be read, the command tells what is wrong.
   case $? in
   1) svl_error 2 "\"$svl_file\" is read, and the diagnostic would replace it: give it a name of its own" ;;
   *) return 0 ;;
   esac
}

# svl_compare RELATION KIND ORDER LEFT RIGHT
svl_compare () {
   svl_before_question || return
   if [ ! "$1" ] && [ "${DEFAULT_COMPARISON_RELATION-}" ]; then
      svl_name_relation "$DEFAULT_COMPARISON_RELATION" ''
      case $3 in equal) svl_how=-e ;; *) svl_how=-p ;; esac
      case $svl_how$svl_relation in
      -pstrong | -pbranching | -pobservational | -ptau\*.a) ;;
      *)
         "$svl_hyades" equiv $svl_how "$svl_relation" --version > /dev/null 2>&1 || {
            svl_error 2 "DEFAULT_COMPARISON_RELATION: unknown relation \`$DEFAULT_COMPARISON_RELATION\`; there are $svl_relations"
            return
         }
         ;;
      esac
   fi
   svl_name_relation "${1:-${DEFAULT_COMPARISON_RELATION:-strong}}" "$2"
   if [ "$svl_kind" ]; then
      svl_error 2 "there are no stochastic or probabilistic comparisons: reduce both sides, and compare the results"
      return
   fi
   svl_alone svl_left "$4" && svl_alone svl_right "$5" || return
   case $3 in
   equal) svl_how=-e ;;
   below) svl_how=-p ;;
   above) svl_how=-p svl_of=$svl_left svl_left=$svl_right svl_right=$svl_of ;;
   esac
   case $svl_relation in
   sharp | divsharp)
      svl_error 2 "$svl_relation depends on which labels are strong, and a comparison holds none: compare what $svl_relation reduction hold … of makes of both sides by strong"
      return
      ;;
   esac
   case $svl_how$svl_relation in
   -pstrong) svl_relation=sim ;;
   -pbranching) svl_relation=branching-sim ;;
   -pobservational | -ptau\*.a) svl_relation=safety ;;
   esac
   svl_limit "$svl_left" "$svl_right"
   # shellcheck disable=SC2086
   svl_run equiv "$svl_how" "$svl_relation" ${svl_file:+-o "$svl_file"} "$svl_left" "$svl_right" $svl_limit
   svl_answer 0 1
}

# svl_ask deadlock|livelock INPUT: the status 1 of --fail-on means that it was found.
svl_ask () {
   svl_before_question || return
   # shellcheck disable=SC2086
   svl_run reach "--$1" --fail-on "$1" ${svl_file:+-o "$svl_file"} "$2" $svl_limits
   svl_answer 1 0
}
# svl_tool NAME: what the statement says, in the place of the default.
svl_tool () {
   svl_with=$1
   case $1 in
   xtl) svl_error 2 "XTL is not supported: write the formula in MCL" ;;
   esac
}
# The tool for a formula.
svl_verify_tool () {
   case $svl_with in
   xtl) svl_error 2 "DEFAULT_VERIFY_TOOL=xtl: XTL is not supported: write the formula in MCL" ;;
   evaluator3) svl_evaluator=$svl_with ;;
   esac
}
svl_formula () {
   svl_formula_file=$1
   svl_verify_tool || return
   case $1 in
   *.xtl) svl_error 2 "\"$1\" is XTL, which is not supported: write the formula in MCL" ;;
   esac
}
# svl_inline FORMULA LINE COLUMN
svl_inline () {
   svl_formula_text=$1 svl_formula_line=$2 svl_formula_column=$3
   svl_verify_tool
}
svl_check_file () {
   svl_before_question || return
   svl_limit "$2"
   # shellcheck disable=SC2086
   svl_run check "--formula=$1" ${svl_evaluator:+--evaluator "$svl_evaluator"} \
      ${svl_file:+-o "$svl_file"} $svl_limit "$2"
   svl_answer 0 1
}
# The names of libraries, which stand with blanks or commas between them.
svl_libraries () { printf '%s\n' "${DEFAULT_MCL_LIBRARIES-}" | tr ', \t' '\n\n\n' | sed '/^$/d'; }
svl_check_inline () {
   svl_before_question || return
   svl_of=$1 svl_rest=$(svl_libraries)$svl_newline
   set --
   while [ "$svl_rest" ]; do
      svl_name=${svl_rest%%"$svl_newline"*}
      [ "$svl_name" ] && set -- "$@" "--library=$svl_name"
      svl_rest=${svl_rest#*"$svl_newline"}
   done
   svl_limit "$svl_of"
   # shellcheck disable=SC2086
   svl_run check "-f$svl_formula_text" "$@" ${svl_evaluator:+--evaluator "$svl_evaluator"} \
      ${svl_file:+-o "$svl_file"} $svl_limit "$svl_of"
   svl_answer 0 1
}

# Verdicts. In a property they stand in its column.
svl_tell () {
   svl_remember "$svl_verdict"
   svl_print "$svl_verdict"
   svl_write_log "   $svl_verdict"
}
svl_expect () {
   svl_remember "$svl_verdict"
   case $1 in
   TRUE | FALSE) ;;
   *) svl_error 2 "expected TRUE or FALSE, and it is \"$1\" that is expected"; return ;;
   esac
   svl_where=
   if [ "$svl_file" ] && [ -e "$svl_file" ]; then svl_where="; diagnostic in \"$svl_file\""; fi
   if [ "$1" = "$svl_verdict" ]; then
      svl_write_log "   $svl_verdict, as expected"
      [ "$svl_depth" -gt 0 ] && echo met >> "$svl_property"
      svl_print "$svl_verdict"
      return 0
   fi
   svl_worse 1
   svl_write_log "   $svl_verdict, expected $1$svl_where"
   if [ "$svl_depth" -gt 0 ]; then
      echo FAIL >> "$svl_property"
      svl_print "$svl_verdict, expected $1$svl_where"
   else
      svl_print "$svl_verdict"
      svl_print "FAIL: expected $1$svl_where"
   fi
   return 0
}

# Ends a statement, after this status.
svl_end () {
   if [ "$1" -ne 0 ]; then
      svl_drop_target
      [ "$svl_depth" -gt 0 ] && echo FAIL >> "$svl_property"
   fi
   svl_note_inputs
   svl_is_kept= svl_file=
   svl_drop_temporaries
   rm -rf -- "$svl_own"
   svl_leave
   return 0
}

# svl_property LINE NAME ARGUMENTS COMMENT
svl_property () {
   if [ "$svl_depth" -ge 200 ]; then
      # Nothing that follows would end.
      svl_line=$1 svl_ignore=
      svl_error 2 "200 properties are checked within one another: the property $2 may check itself without end"
   fi
   shift
   svl_depth=$((svl_depth + 1))
   eval "svl_outer_$svl_depth=\${svl_property-}"
   svl_property=$(mktemp "$svl_work/property.XXXXXX") || exit 2
   svl_print "property $1$2$3"
   svl_write_log ''
   svl_write_log "property $1$2$3"
   svl_indent="$svl_indent   "
}
svl_end_property () {
   svl_met=$(svl_count met "$svl_property")
   svl_unmet=$(svl_count FAIL "$svl_property")
   if [ "$svl_unmet" -eq 0 ]; then
      svl_text="PASS ($svl_met of $svl_met)"
   else
      svl_text="FAIL ($svl_unmet of $((svl_met + svl_unmet)))"
   fi
   printf '%s\n' "${svl_text%% *}" >> "$svl_work/properties"
   rm -f -- "$svl_property"
   svl_print "$svl_text"
   svl_write_log "   $svl_text"
   eval "svl_property=\$svl_outer_$svl_depth"
   svl_depth=$((svl_depth - 1))
   svl_indent=${svl_indent%   }
}
# Parameters are variables as others, which get their values back.
svl_push () {
   eval "svl_saved_${svl_depth}_$1=\${$1-}
      $1=\$2"
}
svl_pop () {
   eval "$1=\$svl_saved_${svl_depth}_$1"
}

# What need not be done again: svl_key tells what is done and with what. A line of the
# record is the key, the sum of the file that was made (- if none), and the verdict.
svl_sum () {
   { sha256sum || shasum -a 256 || cksum; } 2> /dev/null | sed 's/ .*//'
}
svl_what () { svl_what=$1; }
# A variable that counts, too.
svl_default () { eval "svl_what=\$svl_what\${svl_newline}$1=\${$1-}"; }
svl_fresh () {
   [ "$svl_incremental" ] || return 1
   # With errors, nothing is as it was.
   svl_depends || return 1
   svl_key=$({
      printf '%s\n' "$svl_version" "$svl_what" "$PWD" "$svl_file" "$svl_limits" \
         "$svl_network_options" "$svl_markov_options"
      svl_contents < "$svl_own/depends"
   } | svl_sum)
   svl_found=$(cat "$svl_record" "$svl_work/record" 2> /dev/null | sed -n "s/^$svl_key //p" | tail -n 1)
   [ "$svl_found" ] || return 1
   [ "${svl_found%% *}" = "$(svl_sum_of_file)" ] || return 1
   svl_verdict=${svl_found#* } svl_is_fresh=yes
   svl_write_log "   as it was"
   # A diagnostic that the script has made.
   [ "$svl_is_question" ] && [ -e "$svl_file" ] && svl_write_made "$svl_file"
   return 0
}
# With the files that a network names, or that are in a directory.
svl_sum_of_file () {
   if [ ! "$svl_file" ] || [ ! -e "$svl_file" ]; then
      printf '%s\n' -
      return
   fi
   "$svl_hyades" svl --consists-of "$svl_file" 2> /dev/null | svl_contents | svl_sum
}
# The names and the content of files, each of which is in a line.
svl_contents () {
   while IFS= read -r svl_part; do
      printf '%s ' "$svl_part"
      if [ -f "$svl_part" ]; then svl_sum < "$svl_part"; else printf '%s\n' -; fi
   done
}
svl_remember () {
   [ "$svl_key" ] && printf '%s %s %s\n' "$svl_key" "$(svl_sum_of_file)" "$1" >> "$svl_work/record"
   return 0
}
svl_keep_record () {
   if [ "${svl_code:-1}" -ge 2 ] && [ -f "$svl_record" ]; then
      cat "$svl_record" "$svl_work/record" > "$svl_work/all" && mv -f -- "$svl_work/all" "$svl_work/record"
   fi
   cp -- "$svl_work/record" "$svl_record.tmp$$" && mv -f -- "$svl_record.tmp$$" "$svl_record"
}

if [ "$svl_ended" ]; then svl_at_end; fi
trap svl_at_exit EXIT
svl_at_signals
trap 'svl_at_signal PIPE' PIPE
svl_leave
