package recommend

import (
	"os"
	"testing"

	"tidemark/internal/testmain"
)

func TestMain(m *testing.M) { os.Exit(testmain.Runner{M: m}.Run()) }
