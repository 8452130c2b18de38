// Command runtime plays a container runtime for tests: the reference
// adaptation of whatever NRI release it is built with, driven by JSON lines.
//
// Standard input carries commands, one JSON object a line; every command is
// answered by one line {"id":…,"ok":…}. What happens meanwhile (log lines,
// calls, plugins that come and go) is printed as lines with an "event". The
// process ends with its standard input, at the latest after --lifetime.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "bench" {
		exitOn(bench(os.Args[2:]))
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "relay" {
		exitOn(relayEvents(os.Args[2:]))
		return
	}
	exitOn(serve(os.Args[1:]))
}

func serve(args []string) error {
	var s settings
	flags := flag.NewFlagSet("runtime", flag.ContinueOnError)
	flags.StringVar(&s.socket, "socket", "", "unix socket for external plugins")
	flags.StringVar(&s.plugins, "plugins", "/nonexistent", "folder of plugins to launch")
	flags.StringVar(&s.config, "config", "/nonexistent", "folder of plugin configuration")
	flags.StringVar(&s.name, "name", "peer", "name the runtime gives itself")
	flags.StringVar(&s.version, "version", "v1.0.0", "version the runtime gives itself")
	lifetime := flags.Duration("lifetime", 2*time.Minute, "end after this time whatever happens")
	if err := flags.Parse(args); err != nil {
		return err
	}
	time.AfterFunc(*lifetime, func() { exitOn(fmt.Errorf("lifetime of %s is over", *lifetime)) })
	return newSession(s).run(os.Stdin)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
