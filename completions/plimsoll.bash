# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of plimsoll for bash (needs nothing but bash).

_plimsoll_load_options='--connections --duration --requests --threads --warmup --requests-per-connection --close --drain --no-retry
    --seed --rate --arrivals --stages --burst --grow --max-in-flight --think --ramp-up --timeout --connect-timeout --targets --targets-filter --method --header --body --upload-file --form --body-random --chunked --expect-continue --cookies --feed --feed-order --user --auth-bearer --http1.0 --http1.1 --http2 --h2c --streams --pipeline
    --resolve --re-resolve --source --unix-socket --connect-to --proxy --ipv4 --ipv6 --insecure --cacert --sni
    --cert --key --tls-min --tls-max --ciphers --groups --alpn --tls-resume --expect-status --expect-header --expect-body-size --expect-body-sha256 --expect-body --slo --max-errors
    --strict --watch --json --csv --hdr --log --html --percentiles --save-failures --progress --live --live-http --name --label --no-store --share --of --start-at --clock-check --dry-run --help'
_plimsoll_serve_options='--listen --tls-listen --public --backlog --root --data-root
    --access-log --token --open-writes --self-url --allow-upstream --cluster-id --trust-proxy --cert --key --cert-out --threads --max-connections
    --max-head --max-body --max-cpu --max-disk --max-recursion --head-timeout --body-timeout --min-rate --send-timeout --idle-timeout --blobstore --droplets --blobstore-timeout --scan-command --scan-timeout --s3-bucket --s3-endpoint --s3-timeout --one-at-a-time --grace --max-delay --quiet --help'
_plimsoll_compare_options='--base --new --history --no-store --per-target --calibrate --alias --metric --by --min-change --tolerance --same-session --strict
    --format --output --help'
_plimsoll_report_options='--output --format --plot --title --alias --metric --min-change --same-session --no-store --help'
_plimsoll_results_commands='list show tag untag note rm vacuum merge put get export import'
# What each command of results takes.
_plimsoll_results_options() {
    case $1 in
    list) echo '--name --kind --tag --label --since --until --limit --json' ;;
    show) echo '--json' ;;
    tag) echo '--same-code' ;;
    rm) echo '--yes' ;;
    merge) echo '--output --no-store' ;;
    get) echo '--output --wait' ;;
    export) echo '--format --push --index --insecure --output' ;;
    import) echo '--name --label --index --uuid --insecure --json' ;;
    esac
}
_plimsoll_mb_options='-c --cookies -d --duration -i --request-file -o --response-file -q --quiet -r --ramp-up -s --ssl-version -t --threads
    -v --version -h --help'
_plimsoll_limit_own='--slo --of --from --to --step-time --precision --confirm --strict --connections --grow --arrivals --json --html'
_plimsoll_limit_load='--threads --warmup --requests-per-connection --close --seed --timeout --connect-timeout --targets --targets-filter --method
    --header --body --upload-file --form --body-random --chunked --expect-continue --user --auth-bearer --http1.0
    --http1.1 --http2 --h2c --streams --pipeline --resolve --re-resolve --source --unix-socket --connect-to --proxy --ipv4
    --ipv6 --insecure --cacert --sni --cert --key --tls-min --tls-max --ciphers --groups --alpn --tls-resume
    --expect-status --expect-header --expect-body-size --expect-body-sha256 --expect-body --watch --progress --live --live-http --share --of --start-at --clock-check --help'
_plimsoll_rounds_options='--concurrency --samples --order --warmup --pause --rate --compare --keep-going --setup --cleanup --ignore-setup --setup-timeout --shell --timeout --kill-after
    --input --env --cwd --expect-exit --slo --max-errors --strict --phases --log-dir --verbose --format --json --csv --progress --live --live-http --name --label --no-store --dry-run --help'
_plimsoll_job_options='--shares --per-machine --start-in --time-limit --cpus --memory --open-files --parts --suite-path --program --name --hosts --hosts-file --launcher
    --image --namespace --claim --claim-size --apply --keep --json --progress --help'
_plimsoll_doctor_options='--time --ignore --json --help'
_plimsoll_run_options='--set --only --repeat --resume --over-budget --seed --strict --verbose --json --markdown --html --work-dir --progress --live --live-http --name --label --no-store --share --of --start-at --clock-check --gap --dry-run --schema --help'
_plimsoll_ab_options='-n -c -t -s -b -B -p -u -T -v -w -i -x -y -z -C -H -A -P -X -V -k -d -q -S -l -g -e -r -m -I -Z -f -E -h'

# Options that no value follows, of all commands but ab and mb.
_plimsoll_flags=' --apply --calibrate --chunked --cookies --dry-run --expect-continue --h2c --help --http1.0 --http1.1 --http2 --ignore-setup
    --insecure --ipv4 --ipv6 --keep --keep-going --live --no-retry --no-store --one-at-a-time --open-writes --over-budget --per-target --public
    --quiet --re-resolve --same-code --same-session --schema --shell --strict --trust-proxy --verbose --yes --version '

# Whether a value stands behind this word.
_plimsoll_wants_value() {
    case ${COMP_WORDS[1]}:$1 in
    ab:* | mb:* | *:--) return 1 ;;
    results:--json | doctor:--json) return 1 ;;
    *:--*) [[ ! $_plimsoll_flags =~ [[:space:]]$1[[:space:]] ]] ;;
    load:-[cdntrXTuH] | limit:-[ctXTuH] | rounds:-c | run:-s | job:-[nHo]) true ;;
    *) return 1 ;;
    esac
}

# The values of one option, into COMPREPLY; false: it has none that are known.
_plimsoll_values() {
    local word=$2
    case $1 in
    --targets | --feed | --json | --csv | --hdr | --log | --html | --upload-file | -T | --cacert | --unix-socket | --cert | --key | --cert-out | --access-log | --input)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    --save-failures | --root | --data-root | --log-dir | --cwd)
        compopt -o nospace -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        ;;
    --watch) mapfile -t COMPREPLY < <(compgen -W 'target=pid: target=unit: target=cgroup: target=prom: target=kubectl: target=cmd:' -- "$word") ;;
    --share) mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$word") ;;
    --close) mapfile -t COMPREPLY < <(compgen -W 'server client reset' -- "$word") ;;
    --tls-min | --tls-max) mapfile -t COMPREPLY < <(compgen -W '1.0 1.1 1.2 1.3' -- "$word") ;;
    --tls-resume) mapfile -t COMPREPLY < <(compgen -W 'off on 50%' -- "$word") ;;
    --arrivals) mapfile -t COMPREPLY < <(compgen -W 'constant poisson' -- "$word") ;;
    --feed-order) mapfile -t COMPREPLY < <(compgen -W 'sequential random once' -- "$word") ;;
    --progress) mapfile -t COMPREPLY < <(compgen -W 'auto none json' -- "$word") ;;
    --method | -X) mapfile -t COMPREPLY < <(compgen -W 'GET HEAD POST PUT PATCH DELETE OPTIONS' -- "$word") ;;
    --expect-status) mapfile -t COMPREPLY < <(compgen -W '2xx 3xx 4xx 5xx 2xx,3xx' -- "$word") ;;
    *) return 1 ;;
    esac
}

# Words that the program itself knows: runs, tags, suites, checks. The program on the command line is asked, else the
# one in the path; it answers at once or not at all.
_plimsoll_ask() {
    { "${COMP_WORDS[0]/#\~/$HOME}" complete "$1" || plimsoll complete "$1"; } 2>/dev/null | cut -f1
}

# Those of the words on standard input that begin as the line does before the cursor, added to COMPREPLY. Bash cuts words at
# @ and : too, and puts in only what follows the last of these.
_plimsoll_offer() {
    local whole=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[^@:=]/} cut='' found
    whole=${whole##*[[:space:]]}
    case $whole in --*=*) whole=${whole#*=} ;; esac
    [ -z "$breaks" ] || cut=${whole%"${whole##*["$breaks"]}"}
    mapfile -t found < <(compgen -W "$(cat)" -- "$whole")
    COMPREPLY+=("${found[@]#"$cut"}")
}

_plimsoll_ab_values() {
    local word=$2
    case $1 in
    -p | -u | -g | -e | -E)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    -f) mapfile -t COMPREPLY < <(compgen -W 'TLS1 TLS1.1 TLS1.2 TLS1.3 ALL' -- "$word") ;;
    -m) mapfile -t COMPREPLY < <(compgen -W 'GET HEAD POST PUT PATCH DELETE OPTIONS' -- "$word") ;;
    *) return 1 ;;
    esac
}

_plimsoll() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    # --option=value: three words to bash.
    if [ "$word" = = ] && [[ $before == --* ]]; then
        word=
    elif [ "$before" = = ] && [ "$COMP_CWORD" -ge 2 ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'load limit ab mb compare doctor job report results rounds run serve help --help --version' -- "$word")
        return
    fi
    case ${COMP_WORDS[1]} in
    load)
        _plimsoll_values "$before" "$word" ||
            mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_load_options" -- "$word")
        ;;
    serve)
        _plimsoll_values "$before" "$word" ||
            mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_serve_options" -- "$word")
        ;;
    compare)
        _plimsoll_values "$before" "$word" ||
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_compare_options" -- "$word")
            else
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                _plimsoll_offer < <(_plimsoll_ask runs)
            fi
        ;;
    doctor)
        case $before in
        --ignore) _plimsoll_offer < <(_plimsoll_ask checks) ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_doctor_options" -- "$word") ;;
        esac
        ;;
    report)
        case $before in
        --format) mapfile -t COMPREPLY < <(compgen -W 'html svg' -- "$word") ;;
        --plot) mapfile -t COMPREPLY < <(compgen -W 'percentiles time matrix rounds limit' -- "$word") ;;
        -o | --output)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            ;;
        *)
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_report_options" -- "$word")
            else
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                _plimsoll_offer < <(_plimsoll_ask runs)
            fi
            ;;
        esac
        ;;
    job)
        case $before in
        job) mapfile -t COMPREPLY < <(compgen -W 'kubernetes slurm mpi ssh --help' -- "$word") ;;
        --) mapfile -t COMPREPLY < <(compgen -W 'load limit run' -- "$word") ;;
        --parts | --suite-path | --program | --hosts-file | --json)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            ;;
        --progress) mapfile -t COMPREPLY < <(compgen -W 'auto none json' -- "$word") ;;
        *)
            if [[ " ${COMP_WORDS[*]:0:COMP_CWORD} " == *' -- load '* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_load_options" -- "$word")
            elif [[ " ${COMP_WORDS[*]:0:COMP_CWORD} " == *' -- limit '* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_limit_own $_plimsoll_limit_load" -- "$word")
            elif [[ " ${COMP_WORDS[*]:0:COMP_CWORD} " == *' -- run '* ]]; then
                mapfile -t COMPREPLY < <(compgen -f -W "$_plimsoll_run_options" -- "$word")
            else
                mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_job_options" -- "$word")
            fi
            ;;
        esac
        ;;
    limit)
        case $before in
        --of) mapfile -t COMPREPLY < <(compgen -W 'rate connections' -- "$word") ;;
        *)
            _plimsoll_values "$before" "$word" ||
                mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_limit_own $_plimsoll_limit_load" -- "$word")
            ;;
        esac
        ;;
    rounds)
        case $before in
        --format) mapfile -t COMPREPLY < <(compgen -W 'text roundup markdown csv' -- "$word") ;;
        --order) mapfile -t COMPREPLY < <(compgen -W 'interleaved as-written' -- "$word") ;;
        --phases)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -W 'cf-push' -- "$word")
            ;;
        --)
            mapfile -t COMPREPLY < <(compgen -c -- "$word")
            ;;
        import)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            ;;
        *)
            _plimsoll_values "$before" "$word" ||
                mapfile -t COMPREPLY < <(compgen -W "import $_plimsoll_rounds_options" -- "$word")
            ;;
        esac
        ;;
    run)
        case $before in
        --resume) _plimsoll_offer < <(_plimsoll_ask runs) ;;
        *)
            _plimsoll_values "$before" "$word" ||
                if [[ $word != -* ]]; then
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                    _plimsoll_offer < <(_plimsoll_ask suites)
                else
                    mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_run_options" -- "$word")
                fi
            ;;
        esac
        ;;
    mb)
        case $before in
        -i | --request-file | -o | --response-file)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_mb_options" -- "$word") ;;
        esac
        ;;
    ab)
        _plimsoll_ab_values "$before" "$word" ||
            mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_ab_options" -- "$word")
        ;;
    results)
        case $before in
        results) mapfile -t COMPREPLY < <(compgen -W "$_plimsoll_results_commands --help" -- "$word") ;;
        --format) mapfile -t COMPREPLY < <(compgen -W 'json csv' -- "$word") ;;
        --tag) _plimsoll_offer < <(_plimsoll_ask tags) ;;
        --kind) mapfile -t COMPREPLY < <(compgen -W 'load rounds import' -- "$word") ;;
        --name | --label | --since | --until | --limit | -n) ;;
        *)
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_plimsoll_results_options "${COMP_WORDS[2]}") --help" -- "$word")
            elif [[ ${COMP_WORDS[2]} == import || $before == -o || $before == --output || $word == */* ]]; then
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
            else
                _plimsoll_offer < <(_plimsoll_ask runs)
                [ "${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
            ;;
        esac
        ;;
    help) [ "$COMP_CWORD" -ne 2 ] || mapfile -t COMPREPLY < <(compgen -W 'load limit ab mb compare doctor job report results rounds run serve' -- "$word") ;;
    esac
    if _plimsoll_wants_value "$before"; then # an option is none
        local offered=("${COMPREPLY[@]}") one
        COMPREPLY=()
        for one in "${offered[@]}"; do
            [[ $one == -* ]] || COMPREPLY+=("$one")
        done
    fi
}

complete -F _plimsoll plimsoll
