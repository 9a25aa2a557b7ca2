// Package browser tries the page of "tenfold serve" in a real Chromium: the program
// as a process of its own, over a store that the test fills, and tabs in one browser
// that all tests of the package share. Tests of the page stand in this package, so
// that there is one.
//
// Only tests import it. Without a Chromium the tests skip and say so; with
// TENFOLD_REQUIRE_CHROMIUM=1, as in CI, they fail.
package browser

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"tenfold/internal/cli"
)

const (
	// asProgram has the test binary be the program.
	asProgram = "BROWSER_TEST_AS_PROGRAM"
	// requires has tests fail that would skip.
	requires = "TENFOLD_REQUIRE_CHROMIUM"
	// All has what is dear run as well.
	all = "TENFOLD_TEST_ALL"
)

// Main is for TestMain: it runs the tests, or the program where a test started it.
func Main(m *testing.M) int {
	if os.Getenv(asProgram) != "" {
		return cli.Main()
	}
	defer func() { closeBrowser() }()
	return m.Run()
}

// closeBrowser ends the browser, if one was started.
var closeBrowser = func() {}

// chromium is the browser as a context, "" where there is one and else why not.
var chromium = sync.OnceValues(func() (context.Context, string) {
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		return nil, "no Chromium is installed (apt-get install chromium)"
	}
	// What it writes beside its profile goes with it.
	home, err := os.MkdirTemp("", "browser")
	if err != nil {
		return nil, err.Error()
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, // root has no sandbox in a container
		// Nothing but this machine has a name, and a stranger's site that has its own
		// name lead here.
		chromedp.Flag("host-resolver-rules", "MAP evil.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("enable-precise-memory-info", true), chromedp.Flag("js-flags", "--expose-gc"),
		chromedp.Flag("lang", "en-US"), chromedp.Env("TZ=UTC", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "TMPDIR="+home),
		chromedp.WSURLReadTimeout(patience),
	)
	alone, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alone)
	closeBrowser = func() { cancel(); end(); _ = os.RemoveAll(home) }
	if err := chromedp.Do(ctx); err != nil {
		return nil, "Chromium does not start: " + err.Error()
	}
	return ctx, ""
})

// missing skips a test that lacks something, or fails it where all is required.
func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(requires) != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Dear skips a test that is too dear for every run: TENFOLD_TEST_ALL=1 runs it.
func Dear(t testing.TB) {
	t.Helper()
	if os.Getenv(all) == "" {
		t.Skip("set " + all + "=1 to run it")
	}
}
