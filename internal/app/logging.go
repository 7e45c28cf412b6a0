package app

import (
	"fmt"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// newLogger makes the manager's logger. Its writer may be any: lines are written one
// at a time.
func newLogger(opts Options) logr.Logger {
	level := zapcore.InfoLevel
	if opts.LogLevel == "debug" {
		level = zapcore.DebugLevel
	}
	return zap.New(
		zap.WriteTo(zapcore.Lock(zapcore.AddSync(opts.Log))),
		zap.UseDevMode(false),
		zap.Level(level),
		// A stack belongs to a panic, and whoever recovers one adds it.
		zap.StacktraceLevel(zapcore.DPanicLevel),
		func(o *zap.Options) {
			if opts.LogFormat == "console" {
				zap.ConsoleEncoder()(o)
				return
			}
			zap.JSONEncoder(func(c *zapcore.EncoderConfig) { c.EncodeTime = zapcore.RFC3339NanoTimeEncoder })(o)
		},
	)
}

// setGlobalLogger hands the logger to the libraries that log through globals. It is
// the process's to do, before anything else runs, and not that of every Run.
func setGlobalLogger(log logr.Logger) {
	ctrl.SetLogger(log)
	klog.SetLogger(log.WithName("client-go"))
}

// orErr adds what was being done to an error, and keeps nil nil.
func orErr(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
