// Command tidemark tells why an Apache Flink job's event-time watermark is stuck, late or wrong.
package main

import (
	"os"

	"tidemark/cmd"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/broker/msk"
)

func main() {
	broker.AWSCredentials = msk.Credentials
	os.Exit(cmd.Main(os.Args[1:], cmd.OS()))
}
