package flinkapi

// Overview is GET /overview (ClusterOverviewWithVersion, 1.17 to 2.3).
type Overview struct {
	TaskManagers   int    `json:"taskmanagers"`
	SlotsTotal     int    `json:"slots-total"`
	SlotsAvailable int    `json:"slots-available"`
	JobsRunning    int    `json:"jobs-running"`
	FlinkVersion   string `json:"flink-version"`
	FlinkCommit    string `json:"flink-commit"`
}

// Dashboard is GET /config (DashboardConfiguration): the web UI's settings, not the cluster's.
type Dashboard struct {
	RefreshInterval int64  `json:"refresh-interval"` // ms, web.refresh-interval
	TimezoneName    string `json:"timezone-name"`
	TimezoneOffset  int64  `json:"timezone-offset"` // ms
	FlinkVersion    string `json:"flink-version"`
}

// ConfigEntry is an element of GET /jobmanager/config: the cluster configuration, secrets masked.
type ConfigEntry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// TaskManager is an element of GET /taskmanagers.
type TaskManager struct {
	ID                     string `json:"id"`
	TimeSinceLastHeartbeat Int    `json:"timeSinceLastHeartbeat"` // despite its name: JobManager time of the last heartbeat, epoch ms
	SlotsNumber            int    `json:"slotsNumber"`
	FreeSlots              int    `json:"freeSlots"`
}

// JobOverview is an element of GET /jobs/overview (JobDetails).
type JobOverview struct {
	ID        string `json:"jid"`
	Name      string `json:"name"`
	State     string `json:"state"`
	StartTime int64  `json:"start-time"` // JobManager time, epoch ms
	Duration  int64  `json:"duration"`   // ms
	JobType   string `json:"jobType"`    // STREAMING or BATCH, since 2.3
}
