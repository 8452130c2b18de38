// Command pause is all there is in the test image: without arguments it waits
// for SIGTERM, as sandbox and as workload; "stat PATH…" prints what is there;
// "fail" ends with an error.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "stat" {
		for _, path := range os.Args[2:] {
			stat(path)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "fail" {
		os.Exit(3)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	<-signals
}

func stat(path string) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		fmt.Printf("%s: %v\n", path, err)
		return
	}
	kind := map[uint32]string{syscall.S_IFCHR: "char", syscall.S_IFBLK: "block", syscall.S_IFDIR: "folder", syscall.S_IFREG: "file"}
	fmt.Printf("%s: %s %d:%d mode %o\n", path, kind[s.Mode&syscall.S_IFMT],
		s.Rdev>>8&0xfff, s.Rdev&0xff, s.Mode&0o777)
}
