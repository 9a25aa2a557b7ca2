// Package telemetry says to OpenTelemetry what the library does: operations on
// conversations, statements of the database, calls of models, jobs, requests.
//
// It is the only package that speaks the API of OpenTelemetry, and names.go holds
// every name, so that what a dashboard asks for is written in one place. It uses the
// providers that the program set with otel.SetTracerProvider and
// otel.SetMeterProvider. While none is set, nothing is measured and nothing is
// allocated. The SDK, which sends what is measured, is for the program alone: see
// the package export.
//
// No text of a conversation, title, path, token or query is ever an attribute.
// Attributes of metrics take few values; ids of conversations are in traces only,
// and the tenant's name is an attribute only where the operator asks for it
// ([LabelTenants]).
package telemetry
