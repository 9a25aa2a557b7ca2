package job

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
)

// maintenance is what is done to the database once a day, by whichever process: what
// tenants do not keep any longer goes, with its jobs. It belongs to no tenant, and
// none sees it.
type maintenance struct{}

const maintenanceName = "maintain"

// Kind implements [river.JobArgs].
func (maintenance) Kind() string { return maintenanceName }

// InsertOpts implements [river.JobArgsWithInsertOpts].
func (maintenance) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: maintenanceName, MaxAttempts: 3, UniqueOpts: river.UniqueOpts{ByPeriod: 24 * time.Hour}}
}

// maintainer is River's worker of it.
type maintainer struct {
	river.WorkerDefaults[maintenance]
	queue *Queue
}

// Timeout implements [river.Worker].
func (*maintainer) Timeout(*river.Job[maintenance]) time.Duration { return time.Hour }

// Work implements [river.Worker].
func (m *maintainer) Work(ctx context.Context, j *river.Job[maintenance]) error {
	defer m.queue.work(j.ID)()
	_, err := m.queue.db.Maintain(ctx, false, m.queue.Erase)
	if err != nil {
		return errors.New("maintain the database: " + kindOf(err))
	}
	return nil
}

// daily has the leader of the processes add it. Whoever leads adds one as it begins,
// which there is already if the day has one.
func daily() []*river.PeriodicJob {
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(time.Hour), func() (river.JobArgs, *river.InsertOpts) {
		return maintenance{}, nil
	}, &river.PeriodicJobOpts{RunOnStart: true})}
}
