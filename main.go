// Command tidemark tells why an Apache Flink job's event-time watermark is stuck, late or wrong.
package main

import (
	"os"

	"tidemark/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], cmd.OS())) }
