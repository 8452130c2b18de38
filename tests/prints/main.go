// Prints where runtimes listen for plugins, as tools for support do. It is no plugin: it connects to nothing.
package main

import "fmt"

func main() {
	fmt.Println("runtimes listen for plugins on /var/run/nri/nri.sock")
}
