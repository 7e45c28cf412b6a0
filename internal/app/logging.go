package app

import (
	"fmt"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// newLogger makes the process's logger and hands it to the libraries that log
// through globals.
func newLogger(opts Options) logr.Logger {
	level := zapcore.InfoLevel
	if opts.LogLevel == "debug" {
		level = zapcore.DebugLevel
	}
	log := zap.New(
		zap.WriteTo(opts.Log),
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
	ctrl.SetLogger(log)
	klog.SetLogger(log.WithName("client-go"))
	return log
}

// orErr adds what was being done to an error, and keeps nil nil.
func orErr(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
