package browser

import (
	"os"
	"strings"
	"testing"

	"tenfold"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func TestThePageOpens(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Create("one", "A loaf of rye", tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("How long does rye prove?")}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Overnight."}})
	tab := s.Open(t, "/")
	tab.Wait(`document.querySelector("h1, h2, main")`)
	if status, body := s.Call("GET", "/api/conversations/one", ""); status != 200 || !strings.Contains(body, "A loaf of rye") {
		t.Errorf("the API gives %d, %s", status, body)
	}
	tab.Pictures("start")
	tab.Accessible()
}
