package engine

import "tenfold"

// WithoutSigned gives the view of another tool's conversation for a client that
// goes on with it: what providers signed of its reasoning is bound to the system
// prompt and the tools of the tool that it comes from (live B1), and goes. Its text
// stays, for those who read it. It says how many blocks lose a signature.
func (v View) WithoutSigned(to Format) (_ View, signed int, _ error) {
	if v.Format == "" || v.Format == Tenfold || v.Format == to {
		return v, 0, nil
	}
	log := v.Projection.Log()
	bare := tenfold.NewLog(tenfold.WithCounter(log.Counter()), tenfold.WithForeignPayloads())
	for e := range log.Entries() {
		if r, ok := e.Payload.(tenfold.Reasoning); ok && (r.Signature != "" || r.Encrypted != "") {
			e.Payload = tenfold.Reasoning{Text: r.Text}
			signed++
		}
		if _, err := bare.Append(e); err != nil {
			return v, 0, err
		}
	}
	if signed > 0 {
		v.Projection = tenfold.ProjectBranch(bare, v.Projection.Branch())
	}
	return v, signed, nil
}
