module tenfold/token/bench

go 1.26.0

require (
	github.com/pkoukk/tiktoken-go v0.1.8
	tenfold v0.0.0
)

require (
	github.com/dlclark/regexp2 v1.10.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace tenfold => ../..
