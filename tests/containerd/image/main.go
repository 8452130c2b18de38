// Command image packs a static program, or one with other files, as an OCI image layout:
//
//	image OUT.tar NAME [PATH=]PROGRAM [PATH=]FILE…
package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

type object = map[string]any

func main() {
	if len(os.Args) < 4 {
		fail(fmt.Errorf("usage: image OUT.tar NAME [PATH=]PROGRAM [PATH=]FILE…"))
	}
	entry, _ := place(os.Args[3])
	content := map[string][]byte{}
	for _, argument := range os.Args[3:] {
		path, file := place(argument)
		text, err := os.ReadFile(file)
		fail(err)
		content[path[1:]] = text
	}
	fail(os.WriteFile(os.Args[1], layout(os.Args[2], entry, content), 0o644))
}

// place returns the path of a file in the image, the root unless it is given, and on this machine.
func place(argument string) (string, string) {
	if path, file, given := strings.Cut(argument, "="); given {
		return path, file
	}
	return "/" + filepath.Base(argument), argument
}

func layout(name, entry string, content map[string][]byte) []byte {
	files := map[string][]byte{"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`)}
	layer := pack(content)
	config := encode(object{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": object{"Entrypoint": []string{entry}},
		"rootfs": object{"type": "layers", "diff_ids": []string{digest(layer)}},
	})
	manifest := encode(object{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": blob(files, "application/vnd.oci.image.config.v1+json", config),
		"layers": []object{blob(files, "application/vnd.oci.image.layer.v1.tar", layer)},
	})
	descriptor := blob(files, "application/vnd.oci.image.manifest.v1+json", manifest)
	descriptor["annotations"] = object{"io.containerd.image.name": name}
	files["index.json"] = encode(object{"schemaVersion": 2, "manifests": []object{descriptor}})
	return pack(files)
}

func blob(files map[string][]byte, mediaType string, content []byte) object {
	files["blobs/sha256/"+digest(content)[len("sha256:"):]] = content
	return object{"mediaType": mediaType, "digest": digest(content), "size": len(content)}
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

func encode(v any) []byte {
	text, err := json.Marshal(v)
	fail(err)
	return text
}

func pack(files map[string][]byte) []byte {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		fail(archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}))
		_, err := archive.Write(content)
		fail(err)
	}
	fail(archive.Close())
	return out.Bytes()
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
