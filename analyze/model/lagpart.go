package model

// BudgetPart is a summand of a vertex's event-time lag, ms.
type LagPart struct {
	Part    string `json:"part"`
	Ms      int64  `json:"ms"`
	Certain bool   `json:"certain"`
}
