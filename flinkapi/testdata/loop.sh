#!/bin/sh
# The reference that reading a large job is measured against: what people type by hand.
# Fetches the job, its plan, and the event-time watermarks of every vertex, one after the other.
set -e
base=$1
job=$(curl -s "$base/jobs/overview" | jq -r '.jobs[0].jid')
curl -s "$base/jobs/$job/plan" | jq -r '.plan.nodes[] | .id + " " + ([.inputs[]?.id] | join(","))' >/dev/null
for v in $(curl -s "$base/jobs/$job" | jq -r '.vertices[].id'); do
	curl -s "$base/jobs/$job/vertices/$v/watermarks" | jq -r --arg v "$v" '$v + " " + ([.[].value | tonumber] | min | tostring)'
done
