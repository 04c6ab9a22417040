// Package account makes claims about the event time of every vertex and split, and looks for the finding that explains
// each bad one. A job is healthy only if every claim is good, or is explained by a finding that says why it is
// harmless.
package account

import (
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// Claim is one answer about one place, from the newest sample and the one before it.
type Claim struct {
	Claim  catalog.Claim `json:"claim"`
	State  catalog.State `json:"state"`
	Good   bool          `json:"good"`
	At     model.Point   `json:"at"`
	Holder *model.Point  `json:"holder,omitempty"` // where the walk upstream ends, for a bad movement or lag
	Ms     *int64        `json:"ms,omitempty"`     // of a lag, event time against the JobManager's clock
	By     string        `json:"by,omitempty"`     // code of the finding that accounts for a bad claim
	Why    string        `json:"why,omitempty"`    // what could not be read, or why nothing is expected
}

// Account is the judgement of all claims of a running job.
type Account struct {
	Claims     map[string][]Claim   // by vertex id
	Findings   []catalog.Finding    // TM906: bad claims that nothing accounts for
	Unreadable []catalog.NotChecked // claims whose readings are missing
}

// judge makes the claims of one job and compares them with its findings.
type judge struct {
	job      *model.Job
	findings []*catalog.Finding
	at       map[string][]*catalog.Finding // by vertex id
	whole    []*catalog.Finding            // about the job as a whole
	account  Account
	open     map[catalog.Claim][]openClaim
	young    bool

	found *model.Walk // the vertices with findings
	held  map[*catalog.Finding]map[string]bool
	above map[string]map[*model.Vertex]bool // what feeds a vertex, by its id
	waits map[string]map[*model.Vertex]bool // who waits for a vertex, by its id

	signed, flowing, hiding, lacking, reading func(*model.Vertex) bool // somewhere on the way to a vertex; see ask
}

// openClaim is a bad claim that no finding accounts for.
type openClaim struct {
	vertex *model.Vertex
	holder *model.Vertex
	claim  Claim
}

// Of makes the account of a job. Findings that account for a vertex that stands still although event
// time is used are raised to critical in place: severity is the impact of the claim.
func Of(j *model.Job, findings []catalog.Finding) Account {
	x := &judge{job: j, at: map[string][]*catalog.Finding{}, open: map[catalog.Claim][]openClaim{}, young: j.UptimeMs < youngMs}
	x.account.Claims = map[string][]Claim{}
	x.ask()
	for i := range findings {
		f := &findings[i]
		x.findings = append(x.findings, f)
		if f.Vertex == nil {
			x.whole = append(x.whole, f)
		} else {
			x.at[f.Vertex.ID] = append(x.at[f.Vertex.ID], f)
		}
	}
	if !j.Running() || j.Batch {
		return x.account
	}
	if len(j.Now.Plan.Nodes) == 0 {
		x.account.Unreadable = append(x.account.Unreadable, catalog.NotChecked{Code: "TM901", Reason: "the plan could not be read: what feeds what is not known"})
	}
	for _, v := range j.Vertices {
		for _, claims := range [][]Claim{x.movement(v), x.lag(v), x.loss(v), x.sense(v)} {
			x.account.Claims[v.ID] = append(x.account.Claims[v.ID], claims...)
		}
	}
	x.close()
	return x.account
}

// youngMs is the uptime below which no movement is judged: what a job shows then says nothing yet.
const youngMs = 60_000

// settleClaim looks for a finding that explains a bad claim, along the walk to its holder.
func (x *judge) settleClaim(v *model.Vertex, c Claim, states ...catalog.State) Claim {
	path, end := []*model.Vertex{v}, v
	if c.Claim != catalog.Loss {
		path, end = x.found.From(v), x.job.EndOf(v)
	}
	if len(states) == 0 {
		states = []catalog.State{c.State}
	}
	var by *catalog.Finding
	for _, state := range states {
		f := x.explains(v, path, c, state)
		if f == nil {
			x.open[c.Claim] = append(x.open[c.Claim], openClaim{v, end, c})
			return c
		}
		if by == nil || f.Severity.Rank() > by.Severity.Rank() {
			by = f
		}
	}
	c.By = by.Code
	return c
}

// explains finds the finding that accounts for a claim: at v itself, at a vertex that v inherits
// from, or one that lists v as held back.
func (x *judge) explains(v *model.Vertex, path []*model.Vertex, c Claim, state catalog.State) *catalog.Finding {
	fits := func(f *catalog.Finding, reach catalog.Reach) bool {
		check, ok := catalog.FindCheck(f.Code)
		return ok && check.Explained(c.Claim, state, reach) && (!f.Latent || c.Claim == catalog.Sense) && f.Severity.Rank() >= check.ExplainsFrom.Rank()
	}
	for _, u := range path {
		reach := catalog.Inherited
		if u == v {
			reach = catalog.Own
		}
		for _, f := range x.at[u.ID] {
			if fits(f, reach) && x.samePlace(f, c) {
				return f
			}
		}
	}
	for _, f := range x.findings {
		if fits(f, catalog.Inherited) && x.holds(f, v) {
			return f
		}
		if f.Vertex != nil && fits(f, catalog.Upstream) && x.feeds(v, f.Vertex.ID) {
			return f
		}
	}
	for _, f := range x.whole {
		if fits(f, catalog.Inherited) {
			return f
		}
	}
	return nil
}

// samePlace reports that a finding is about the subtask that holds the claim, or about all of them.
func (x *judge) samePlace(f *catalog.Finding, c Claim) bool {
	switch {
	case c.Claim == catalog.Sense && c.At.Split != "" && f.Split != "":
		return f.Split == c.At.Split || c.At.Subtask != nil && slices.Contains(f.Subtasks, *c.At.Subtask)
	case c.Claim != catalog.Movement || c.Holder == nil || c.Holder.Subtask == nil || len(f.Subtasks) == 0 || f.Vertex.ID != c.Holder.Vertex.ID:
		return true
	}
	v := x.job.Vertex(f.Vertex.ID)
	least := v.Subtasks[*c.Holder.Subtask].Out().Now
	for _, i := range f.Subtasks {
		if i < len(v.Subtasks) && !least.Before(v.Subtasks[i].Out().Now) {
			return true
		}
	}
	return false
}
