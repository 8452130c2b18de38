package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sync"
)

type object = map[string]any

var outputLock sync.Mutex

// emit prints one JSON line.
func emit(line object) {
	text, err := json.Marshal(line)
	exitOn(err)
	outputLock.Lock()
	defer outputLock.Unlock()
	_, err = fmt.Fprintf(os.Stdout, "%s\n", text)
	exitOn(err)
}

// The adaptation keeps its list of plugins to itself, but logs it whenever it
// changes; these two lines have had the same wording in every release.
var (
	orderLine  = regexp.MustCompile(`^\s+#(\d+): "([^"]+)" \((.*)\)$`)
	closedLine = regexp.MustCompile(`^connection to plugin "([^"]*)" closed$`)
)

// logger prints what the adaptation logs, and the plugins it tells of.
type logger struct{}

func (logger) Debugf(_ context.Context, format string, args ...any) { log("debug", format, args) }
func (logger) Infof(_ context.Context, format string, args ...any)  { log("info", format, args) }
func (logger) Warnf(_ context.Context, format string, args ...any)  { log("warning", format, args) }
func (logger) Errorf(_ context.Context, format string, args ...any) { log("error", format, args) }

func log(level, format string, args []any) {
	text := fmt.Sprintf(format, args...)
	emit(object{"event": "log", "level": level, "text": text})
	if m := orderLine.FindStringSubmatch(text); m != nil {
		emit(object{"event": "plugin", "position": m[1], "plugin": m[2], "as": m[3]})
	}
	if m := closedLine.FindStringSubmatch(text); m != nil {
		emit(object{"event": "closed", "plugin": m[1]})
	}
}
