// Command reproduce shows what the reports in the parent folder are about, with the reference implementation alone: no runtime, no
// root, no network. It exits with 1 if something is not as reported.
//
//	go run . [NAME]...
package main

import (
	"fmt"
	"os"
)

var reports = map[string]func() error{
	"empty-messages":    emptyMessages,
	"required-plugin":   requiredPlugin,
	"synchronize-limit": synchronizeLimit,
	"nameless-errors":   namelessErrors,
}

func main() {
	names := os.Args[1:]
	if len(names) == 0 {
		names = []string{"empty-messages", "required-plugin", "synchronize-limit", "nameless-errors"}
	}
	for _, name := range names {
		fmt.Println("==", name)
		report, known := reports[name]
		if !known {
			exit(fmt.Errorf("no report %q", name))
		}
		if err := report(); err != nil {
			exit(fmt.Errorf("%s: not as reported: %w", name, err))
		}
	}
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}
