// What garble leaves of a plugin: names that mean nothing, and the name of the protocol, which it does not touch.
package main

import "fmt"

type a struct{ b string }

func (c *a) D() { fmt.Println(c.b) }

func main() {
	(&a{"nri.pkg.api.v1alpha1.Plugin"}).D()
}
