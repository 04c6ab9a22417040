# Functions of the lab: resolving jars, starting and stopping processes. Sourced by `lab`, which sets the addresses.

say() { echo "lab: $*"; }
die() { echo "lab: $*" >&2; exit 1; }

# The Kafka connector is released apart from Flink; the newest one for each line.
connector() {
  case $1 in
    2.0*) echo 4.0.1-2.0 ;; 2.*) echo 5.0.0-2.2 ;; 1.20*) echo 3.4.0-1.20 ;; 1.19*) echo 3.3.0-1.19 ;; 1.18*) echo 3.2.0-1.18 ;; 1.17*) echo 3.2.0-1.17 ;;
    *) die "no Kafka connector known for Flink $1" ;;
  esac
}

# jars DIR GROUP:ARTIFACT:VERSION... resolves once; the marker is written last so that a broken run is repeated.
jars() {
  local dir=$1 group artifact version dep; shift
  [ -f "$dir/.complete" ] && return
  mkdir -p "$dir"
  {
    echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>lab</groupId><artifactId>jars</artifactId><version>1</version><dependencies>'
    for dep in "$@"; do
      IFS=: read -r group artifact version <<<"$dep"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
    done
    echo '</dependencies></project>'
  } >"$dir/pom.xml"
  say "resolving jars into $dir"
  mvn -q -B -f "$dir/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies -DoutputDirectory="$dir/lib" >"$dir/mvn.log" 2>&1 ||
    mvn -q -B -f "$dir/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies -DoutputDirectory="$dir/lib" >"$dir/mvn.log" 2>&1 ||
    die "Maven could not resolve the jars, read $dir/mvn.log"
  touch "$dir/.complete"
}

alive() { [ -f "$run/$1.pid" ] && kill -0 "$(cat "$run/$1.pid")" 2>/dev/null; }

# start NAME COMMAND... in its own session, its pid in run/NAME.pid and its output in run/NAME.log
start() {
  local name=$1; shift
  setsid nohup "$@" >"$run/$name.log" 2>&1 </dev/null &
  echo $! >"$run/$name.pid"
}

# await NAME COMMAND... until it succeeds, as long as process NAME lives
await() {
  local name=$1 i; shift
  for i in $(seq 240); do
    if "$@" >/dev/null 2>&1; then return; fi
    alive "$name" || die "$name ended early, read $run/$name.log: $(tail -n 1 "$run/$name.log" | cut -c1-300)"
    sleep 0.5
  done
  die "$name is not ready after 120 s, read $run/$name.log"
}

listening() { (exec 3<>"/dev/tcp/${1%:*}/${1#*:}") 2>/dev/null; }
need_free() { local a; for a in "$@"; do if listening "$a"; then die "$a is in use by another process; set LAB_PORT_BASE"; fi; done; }
need() { local t; for t in "$@"; do command -v "$t" >/dev/null || die "$t is not installed"; done; }

kafka_up() {
  alive kafka && return
  need_free "$kafka" "$controller"
  jars "$home/kafka-$kafka_version" "org.apache.kafka:kafka_2.13:$kafka_version" "org.apache.kafka:kafka-tools:$kafka_version" org.slf4j:slf4j-simple:1.7.36
  local lib="$home/kafka-$kafka_version/lib/*"
  rm -rf "$home/kafka-data" # topics of an earlier run would be read from their start
  cat >"$home/server.properties" <<P
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@$controller
listeners=PLAINTEXT://$kafka,CONTROLLER://$controller
advertised.listeners=PLAINTEXT://$kafka
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$home/kafka-data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
P
  java -cp "$lib" kafka.tools.StorageTool format -t tidemark-lab-cluster00 -c "$home/server.properties" >"$run/format.log" 2>&1 || die "Kafka storage could not be formatted, read $run/format.log"
  start kafka java -Xmx512m -cp "$lib" kafka.Kafka "$home/server.properties"
  await kafka grep -q 'Kafka Server started' "$run/kafka.log"
  rm -rf "$home/produce"; mkdir -p "$home/produce"
  javac -nowarn -d "$home/produce" -cp "$lib" "$here/java/Produce.java"
  say "Kafka $kafka_version at $kafka"
}

flink_conf() { # flink_conf VERSION: writes the one configuration file that version reads
  local file=config.yaml; case $1 in 1.1[78]*) file=flink-conf.yaml ;; esac
  mkdir -p "$home/conf" "$home/tmp"; rm -f "$home"/conf/*
  cat >"$home/conf/$file" <<P
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: $((base + 5))
jobmanager.bind-host: 127.0.0.1
jobmanager.memory.process.size: 1024m
taskmanager.memory.process.size: 3072m
taskmanager.bind-host: 127.0.0.1
taskmanager.host: 127.0.0.1
taskmanager.numberOfTaskSlots: ${LAB_SLOTS:-128}
taskmanager.slot.timeout: 60 s
taskmanager.cpu.cores: 2
taskmanager.memory.network.min: 384m
taskmanager.memory.network.max: 384m
taskmanager.memory.task.heap.size: 1200m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.managed.size: 512m
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.jvm-metaspace.size: 512m
taskmanager.memory.jvm-overhead.min: 208m
taskmanager.memory.jvm-overhead.max: 208m
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: ${rest#*:}
execution.target: remote
parallelism.default: 1
io.tmp.dirs: $home/tmp
web.upload.dir: $home/tmp
web.submit.enable: true
metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory
metrics.reporter.prom.port: $metrics-$((metrics + 10))
sql-gateway.endpoint.rest.address: 127.0.0.1
sql-gateway.endpoint.rest.port: ${gateway#*:}
${LAB_FLINK_CONF:-}
P
}

build_jobs() { # build_jobs VERSION: compiles the jobs and uploads them to the running cluster
  local v=$1 classes="$home/jobs-$1" compat=flink2; case $1 in 1.*) compat=flink1 ;; esac
  rm -rf "$classes"; mkdir -p "$classes"
  javac -nowarn -d "$classes" -cp "$home/flink-$v/lib/*" "$here"/java/jobs/*.java "$here/compat/$compat"/*.java 2>"$run/javac.log" || die "the jobs do not compile for Flink $v, read $run/javac.log"
  jar cf "$home/lab-$v.jar" -C "$classes" .
  curl -sf -X POST -F "jarfile=@$home/lab-$v.jar" "http://$rest/jars/upload" | sed 's/.*\/\([^/"]*\)".*/\1/' >"$run/jar"
}

flink_jars() { # flink_jars VERSION: resolves the jars, writes the configuration and what Java 17 must open to Flink
  local v=$1 deps=() a p
  for a in streaming-java clients runtime-web rpc-akka-loader table-planner-loader table-runtime table-api-java-bridge sql-gateway json metrics-prometheus connector-files connector-base connector-datagen cep; do deps+=("org.apache.flink:flink-$a:$v"); done
  jars "$home/flink-$v" "${deps[@]}" "org.apache.flink:flink-connector-kafka:$(connector "$v")" org.slf4j:slf4j-simple:1.7.36
  echo "$v" >"$run/version"; flink_conf "$v"; export FLINK_CONF_DIR="$home/conf"
  opens=(--add-exports=java.base/sun.net.util=ALL-UNNAMED)
  for p in java.base/java.{util,lang,net,time,nio,text,io} java.base/java.util.concurrent java.base/java.lang.reflect java.base/sun.nio.ch; do opens+=("--add-opens=$p=ALL-UNNAMED"); done
}

start_gateway() { # after flink_jars
  start gateway java -Xmx768m "${opens[@]}" -cp "$home/flink-$(cat "$run/version")/lib/*" org.apache.flink.table.gateway.SqlGateway "-Dsql-gateway.endpoint.rest.address=127.0.0.1" -Dexecution.target=remote
}

gateway_up() { # EXPLAIN needs neither a cluster nor a broker
  need_free "$gateway"
  flink_jars "$1"
  start_gateway
  await gateway curl -sf "http://$gateway/v1/info"
  say "SQL gateway of Flink $1 at http://$gateway"
}

start_taskmanager() { # start_taskmanager NAME, after flink_jars
  start "$1" java -Xmx1400m -XX:MaxDirectMemorySize=800m "${opens[@]}" -cp "$home/flink-$(cat "$run/version")/lib/*" org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir "$home/conf"
}

taskmanagers() { curl -s "http://$rest/overview" | sed -n 's/.*"taskmanagers":\([0-9]*\).*/\1/p'; }

taskmanager() { # taskmanager start|kill: the newest one is killed as if its machine had failed
  local newest name before
  newest=$(ls -t "$run"/taskmanager*.pid 2>/dev/null | head -n 1) || true
  case $1 in
    start)
      alive jobmanager || die "Flink is not running; lab up first"
      flink_jars "$(cat "$run/version")"
      name=taskmanager-$(date +%s); before=$(taskmanagers); start_taskmanager "$name"
      await "$name" sh -c "curl -s http://$rest/overview | grep -q '\"taskmanagers\":$((before + 1))'"
      say "TaskManager $name is registered" ;;
    kill)
      [ -n "$newest" ] || die "no TaskManager is running"
      if [ "$(cat "/proc/$(cat "$newest")/comm" 2>/dev/null)" = java ]; then kill -9 "$(cat "$newest")"; fi
      rm -f "$newest"; say "$(basename "$newest" .pid) was killed at $(date -u +%FT%TZ)" ;;
    *) die "taskmanager takes start or kill" ;;
  esac
}

# Each process of Flink takes the first free port of the range, so several are asked: one nobody holds is a target that is down.
prometheus_up() {
  local targets='' i
  need prometheus; alive prometheus && { say "Prometheus is already running at http://$prometheus"; return; }
  need_free "$prometheus"; rm -rf "$home/prometheus"; mkdir -p "$home/prometheus"
  for i in 0 1 2; do targets+="\"127.0.0.1:$((metrics + i))\", "; done
  cat >"$home/prometheus/prometheus.yml" <<P
global: {scrape_interval: $1}
scrape_configs:
- {job_name: flink, static_configs: [{targets: [${targets%, }]}]}
P
  start prometheus prometheus --config.file="$home/prometheus/prometheus.yml" --storage.tsdb.path="$home/prometheus/data" --web.listen-address="$prometheus"
  await prometheus curl -sf "http://$prometheus/-/ready"
  say "Prometheus at http://$prometheus scrapes every $1"
}

flink_up() {
  local v=$1 f="$home/flink-$1"
  if alive jobmanager; then [ "$(cat "$run/version")" = "$v" ] || die "Flink $(cat "$run/version") is running; lab down first"; build_jobs "$v"; say "Flink $v is already running, its job jar is rebuilt"; return; fi
  need_free "$rest" "$gateway"
  flink_jars "$v"
  start jobmanager java -Xmx640m "${opens[@]}" -cp "$f/lib/*" org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir "$home/conf" --executionMode cluster
  start_taskmanager taskmanager
  start_gateway
  await jobmanager curl -sf "http://$rest/overview"
  await taskmanager sh -c "curl -s http://$rest/overview | grep -q '\"taskmanagers\":1'"
  await gateway curl -sf "http://$gateway/v1/info"
  build_jobs "$v"
  say "Flink $v at http://$rest, SQL gateway at http://$gateway"
}

up() {
  need java javac jar mvn curl python3
  case ${1:-} in
    --kafka-only) kafka_up; return ;;
    --gateway-only) gateway_up "${2:-2.3.0}"; return ;;
  esac
  kafka_up; flink_up "${1:-2.3.0}"
}

produce() { # returns once every topic exists, so that a job may read it
  local seconds=$1 name; shift; name=produce-$(date +%s%N)
  if [ $# -eq 0 ]; then mapfile -t lines < <(grep -v '^#' "$here/load.txt" | grep .); set -- "${lines[@]}"; fi
  start "$name" java -Xmx256m -cp "$home/produce:$home/kafka-$kafka_version/lib/*" Produce "$kafka" "$seconds" "$@"
  await "$name" grep -q '^ready' "$run/$name.log"
  say "producing $# topics for $seconds s"
}

submit() { # submit SCENARIO[:TOPIC]
  local scenario=${1%%:*} topic answer
  case $1 in *:*) topic=${1#*:} ;; *) topic=$(awk -F'\t' -v s="$scenario" '$1 == s && $2 == "stream" { print $3 }' "$here/scenarios.tsv") ;; esac
  [ -n "$topic" ] || die "no such scenario: $scenario (lab scenarios lists them)"
  answer=$(curl -s -X POST "http://$rest/jars/$(cat "$run/jar")/run" -H 'content-type: application/json' -d "{\"entryClass\":\"Lab\",\"programArgsList\":[\"$kafka\",\"$scenario\",\"$topic\"]}")
  case $answer in *jobid*) echo "$scenario $answer" ;; *) echo "$scenario FAILED $(grep -o 'Caused by: [^\\]*' <<<"$answer" | tail -n 1)" ; return 1 ;; esac
}

cancel() {
  curl -sf "http://$rest/jobs/overview" | python3 -c 'import json,re,sys
for j in json.load(sys.stdin)["jobs"]:
    if j["state"] in ("RUNNING","RESTARTING","CREATED","INITIALIZING") and re.search(sys.argv[1], j["name"]): print(j["jid"])' "$1" |
    while read -r j; do curl -s -X PATCH "http://$rest/jobs/$j?mode=cancel" >/dev/null; done
}

ours() { case $(cat "/proc/$1/comm" 2>/dev/null) in java | prometheus) ;; *) return 1 ;; esac }

down() {
  local f p i
  for f in "$run"/*.pid; do
    [ -e "$f" ] || continue
    p=$(cat "$f")
    # A pid of an earlier boot may belong to someone else by now: only ever end what the lab starts.
    if ours "$p"; then kill "$p" 2>/dev/null || true; fi
  done
  for f in "$run"/*.pid; do
    [ -e "$f" ] || continue
    p=$(cat "$f")
    for i in $(seq 40); do kill -0 "$p" 2>/dev/null || break; sleep 0.25; done
    if ours "$p"; then kill -9 "$p" 2>/dev/null || true; fi
    rm -f "$f"
  done
  say "stopped"
}
