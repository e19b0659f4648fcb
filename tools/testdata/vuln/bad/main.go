// The program calls what is known to be broken in the version of the module that it requires: scripts/vuln-trips
// proves that make vuln would notice.
package main

import (
	"fmt"
	"os"

	"golang.org/x/text/language"
)

func main() {
	tag, err := language.Parse(os.Args[0])
	fmt.Println(tag, err)
}
