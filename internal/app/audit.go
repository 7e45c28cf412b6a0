package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/audit/sink"
	"github.com/callgate/callgate/webhooks"
)

// The modes of audit.
const (
	auditOff        = "off"
	auditBestEffort = "best-effort"
	auditRequired   = "required"
)

// AuditOptions say whether and where a record of every verdict is kept. Start from
// DefaultAuditOptions.
type AuditOptions struct {
	// Mode is off, best-effort or required.
	Mode string
	// Path is a file or a pipe, "" for Out.
	Path string
	// MaxBytes is the size at which a file is put aside, 0 for never; MaxBackups is how
	// many are kept of those that were.
	MaxBytes   int64
	MaxBackups int
	// KeyFile holds the key of digests, "" for one that ends with the process.
	KeyFile string
	// Out is where records go without Path. Default standard output.
	Out io.Writer
	// Observer is told what happens, for metrics. Nil: nobody is.
	Observer sink.Observer
}

// DefaultAuditOptions are the documented defaults.
func DefaultAuditOptions() AuditOptions {
	// Half a gigabyte in all, some half a million records: days of a busy replica, and
	// little beside a node's disk.
	return AuditOptions{Mode: auditBestEffort, MaxBytes: 100 << 20, MaxBackups: 5, Out: os.Stdout}
}

// AddFlags binds the options to flags.
func (o *AuditOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Mode, "audit", o.Mode, "a record of every verdict: off, best-effort (verdicts never wait; what is lost is counted) or required (a review that cannot be recorded gets 503)")
	fs.StringVar(&o.Path, "audit-path", o.Path, "`file` or pipe that records are appended to; empty: standard output")
	fs.Int64Var(&o.MaxBytes, "audit-max-bytes", o.MaxBytes, "size at which the file of --audit-path is put aside for a new one, 0: never")
	fs.IntVar(&o.MaxBackups, "audit-max-backups", o.MaxBackups, "how many files are kept of those that were put aside")
	fs.StringVar(&o.KeyFile, "audit-key-file", o.KeyFile, "`file` with the key of digests in records, at least 16 random bytes; the same for all replicas makes their digests comparable; empty: a new one for each process")
}

// maxBackups is more than anybody keeps: each file that is put aside renames them all.
const maxBackups = 1000

// validate reports everything that is wrong, each with the flag to mend.
func (o *AuditOptions) validate() error {
	var errs []error
	switch o.Mode {
	case auditOff, auditBestEffort, auditRequired:
	default:
		errs = append(errs, fmt.Errorf("--audit: %q is none of off, best-effort, required", o.Mode))
	}
	if o.MaxBytes != 0 && o.MaxBytes < audit.MaxBytes {
		errs = append(errs, fmt.Errorf("--audit-max-bytes: %d is less than one record may have: give 0 or at least %d", o.MaxBytes, audit.MaxBytes))
	}
	if o.MaxBackups < 0 || o.MaxBackups > maxBackups {
		errs = append(errs, fmt.Errorf("--audit-max-backups: %d is not between 0 and %d", o.MaxBackups, maxBackups))
	}
	return errors.Join(errs...)
}

// newSink makes what keeps the records, nil where none are kept.
func (o *AuditOptions) newSink(log logr.Logger) (*sink.Sink, error) {
	if o.Mode == auditOff {
		return nil, nil
	}
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	out := o.Out
	if out == nil {
		out = os.Stdout
	}
	s, err := sink.New(sink.Options{
		Path: o.Path, Out: out, MaxFileBytes: o.MaxBytes, MaxBackups: o.MaxBackups,
		Required: o.Mode == auditRequired, Key: key, Observer: o.Observer, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("--audit-path: %w", err)
	}
	return s, nil
}

// maxKeyBytes bounds what is read of a key: beyond a hash's block it is hashed anyway.
const maxKeyBytes = 4 << 10

func (o *AuditOptions) key() (audit.Key, error) {
	if o.KeyFile == "" {
		return audit.RandomKey()
	}
	f, err := os.Open(o.KeyFile)
	if err != nil {
		return audit.Key{}, fmt.Errorf("--audit-key-file: %w", err)
	}
	defer func() { _ = f.Close() }()
	secret, err := io.ReadAll(io.LimitReader(f, maxKeyBytes))
	if err != nil {
		return audit.Key{}, fmt.Errorf("--audit-key-file: %w", err)
	}
	// Editors end a file with a line break, and other ways to make the same Secret do not.
	key, err := audit.NewKey(bytes.TrimRight(secret, "\r\n"))
	return key, orErr("--audit-key-file", err)
}

// buildAudit makes what keeps the records.
func (p *parts) buildAudit() (err error) {
	opts := p.opts.Audit
	if opts.Observer == nil {
		opts.Observer = newAuditObserver(p.metrics.Audit)
	}
	p.audit, err = opts.newSink(p.log.WithName("audit"))
	return err
}

// auditor is nil where no records are kept.
func (p *parts) auditor() webhooks.Auditor {
	if p.audit == nil {
		return nil
	}
	return p.audit
}

// runAudit writes records until ctx ends, after the last verdict was given.
func (p *parts) runAudit(ctx context.Context) error {
	if p.audit == nil {
		<-ctx.Done()
		return nil
	}
	return p.audit.Run(ctx)
}
