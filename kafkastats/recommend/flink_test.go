package recommend

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tidemark/flinkapi/sqlgateway"
)

func TestOnFlinkNamesTheMissingJar(t *testing.T) {
	for what, says := range map[string]string{"kafka": "flink-sql-connector-kafka", "avro": "--flink-format", "jdbc": ""} {
		cause := sqlgateway.Cause{Message: "Could not find any factory for identifier '" + what + "' that implements 'F' in the classpath."}
		err := withJar(fmt.Errorf("statement 4 of 7: %w", &sqlgateway.Error{Kind: sqlgateway.Refused, URL: "u", Causes: []sqlgateway.Cause{cause}}), "avro")
		if !errors.Is(err, sqlgateway.Refused) || !strings.Contains(err.Error(), says) || says == "" && strings.Contains(err.Error(), "jar") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := errors.New("x"); withJar(err, "json") != err {
		t.Error("another error is changed")
	}
}
