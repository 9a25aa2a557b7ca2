package telemetry

import "go.opentelemetry.io/otel/attribute"

// scope is the name of the instrumentation.
const scope = "tenfold"

// The names of metrics. Those that do not begin with "tenfold." are those of the
// semantic conventions of OpenTelemetry: HTTP and database as of 1.43, generative AI
// as of its own repository after v0.1.0, where counters replaced the histogram
// gen_ai.client.token.usage.
const (
	metricOperation = "tenfold.operation.duration"
	metricEntries   = "tenfold.entries.appended"
	metricFreed     = "tenfold.compaction.tokens.freed"
	metricRetries   = "tenfold.store.retries"
	metricJobWait   = "tenfold.job.wait.duration"
	metricJobTotal  = "tenfold.job.latency"
	metricJobs      = "tenfold.jobs"
	metricCost      = "tenfold.model.cost"
	metricEpochs    = "tenfold.proxy.epochs"
	metricForwarded = "tenfold.proxy.request.duration"

	metricModel      = "gen_ai.client.operation.duration"
	metricFirstChunk = "gen_ai.client.operation.time_to_first_chunk"
	metricInput      = "gen_ai.client.inference.usage.input_tokens"
	metricOutput     = "gen_ai.client.inference.usage.output_tokens"
	metricCacheRead  = "gen_ai.client.inference.usage.cache_read.input_tokens"
	metricCacheWrite = "gen_ai.client.inference.usage.cache_write.input_tokens"

	metricStatement      = "db.client.operation.duration"
	metricConnections    = "db.client.connection.count"
	metricMaxConnections = "db.client.connection.max"

	metricRequest = "http.server.request.duration"
	metricActive  = "http.server.active_requests"
)

// The names of attributes.
const (
	keyOperation = attribute.Key("tenfold.operation")
	keyOutcome   = attribute.Key("tenfold.outcome")
	keyTenant    = attribute.Key("tenfold.tenant")
	keyState     = attribute.Key("tenfold.job.state")
	keyUpstream  = attribute.Key("tenfold.proxy.upstream")
	keyEntries   = attribute.Key("tenfold.entries")
	keyFreed     = attribute.Key("tenfold.tokens.freed")
	keyCost      = attribute.Key("tenfold.model.cost")

	keyErrorType = attribute.Key("error.type")

	keyGenAIOperation = attribute.Key("gen_ai.operation.name")
	keyProvider       = attribute.Key("gen_ai.provider.name")
	keyModel          = attribute.Key("gen_ai.request.model")
	keyMaxTokens      = attribute.Key("gen_ai.request.max_tokens")
	keyStream         = attribute.Key("gen_ai.request.stream")
	keyConversation   = attribute.Key("gen_ai.conversation.id")
	keyCompacted      = attribute.Key("gen_ai.conversation.compacted")
	keyFinish         = attribute.Key("gen_ai.response.finish_reasons")
	keyFirstChunk     = attribute.Key("gen_ai.response.time_to_first_chunk")
	keyInput          = attribute.Key("gen_ai.usage.input_tokens")
	keyOutput         = attribute.Key("gen_ai.usage.output_tokens")
	keyCacheRead      = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	keyCacheWrite     = attribute.Key("gen_ai.usage.cache_write.input_tokens")
	keyModality       = attribute.Key("gen_ai.token.modality")

	keySystem          = attribute.Key("db.system.name")
	keyStatement       = attribute.Key("db.operation.name")
	keyTable           = attribute.Key("db.collection.name")
	keyCode            = attribute.Key("db.response.status_code")
	keyConnectionState = attribute.Key("db.client.connection.state")

	keyMethod = attribute.Key("http.request.method")
	keyRoute  = attribute.Key("http.route")
	keyStatus = attribute.Key("http.response.status_code")
)

// Service are the attributes of the process: nothing of its arguments, among which
// the store's URL may be.
func Service(version, instance string) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("service.name", scope), attribute.String("service.version", version), attribute.String("service.instance.id", instance),
	}
}

// chat is the operation of a model call, and begins the name of its span.
const chat = "chat"

// An Op is an operation of the library, the name of its span and the value of its
// attribute.
type Op string

// The operations.
const (
	// Open reads a conversation whole.
	Open Op = "tenfold.open"
	// Append writes entries.
	Append Op = "tenfold.append"
	// Plan works out a compaction.
	Plan Op = "tenfold.plan"
	// Compact plans and applies, again after a lost race. What applies a plan that a
	// person saw, or that was prepared ahead, is Apply.
	Compact Op = "tenfold.compact"
	Apply   Op = "tenfold.apply"
	// Job is a job from its start to its commit.
	Job Op = "tenfold.job"
)

// An Outcome is how something ended: one of a few words, never a message.
type Outcome string

// The outcomes, beside those of compactions (session.Outcome) and of model calls
// (provider.Kind).
const (
	OK        Outcome = "ok"
	Conflict  Outcome = "conflict"
	NotFound  Outcome = "not_found"
	Cancelled Outcome = "cancelled"
	Failed    Outcome = "error"
)

// other stands for a value that is not counted by itself.
const other = "_OTHER"
