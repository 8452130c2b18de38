// Command kubernetes is a whole cluster in one binary, so that what its parts share is compiled and linked once:
//
//	kubernetes etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubelet FLAG…
//	kubernetes kubectl ARGUMENT…
//	kubernetes keys FOLDER    generates a serving certificate for 127.0.0.1, and the key of service accounts
//
// The servers end when their standard input does, so that none outlives the test that started it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // as in the commands themselves
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var servers = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("name a command, see the source"))
	}
	// Each command reads os.Args.
	os.Args = os.Args[1:]
	switch name := os.Args[0]; name {
	case "keys":
		fail(keys(os.Args[1]))
	case "kubectl":
		os.Exit(cli.Run(kubectl.NewDefaultKubectlCommand()))
	case "etcd":
		go endWithInput()
		etcdmain.Main(os.Args)
	default:
		command, known := servers[name]
		if !known {
			fail(fmt.Errorf("no command %q", name))
		}
		go endWithInput()
		os.Exit(cli.Run(command()))
	}
}

func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func keys(folder string) error {
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, []string{"localhost"})
	if err != nil {
		return err
	}
	account, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"serving.crt": certificate, "serving.key": key, "accounts.key": account} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
