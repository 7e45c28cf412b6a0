// Package testenv starts a real etcd and kube-apiserver for tests, with the
// project's CRDs installed and RBAC enforced. There is no controller-manager:
// nothing deletes namespaces or makes default ServiceAccounts, so each test takes
// a namespace of its own.
package testenv
