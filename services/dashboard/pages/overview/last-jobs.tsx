/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ListedJob } from '#contracts/generated/http.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { formatNumber, Time } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import { nameOf, StandingBadge, standingOf } from '../jobs/job-words.tsx'
import { type PictureOf, Thumbnail } from '../jobs/thumbnails.tsx'

type Parts = { jobs: OrMissing<ListedJob[]>; base: string; pictureOf: PictureOf }

/** The newest jobs, with a link to all jobs. */
export const LastJobs = ({ jobs, base, pictureOf }: Parts): VNode => (
  <section>
    <div class="head">
      <h2>Recent jobs</h2>
      <a href={`${base}/jobs`}>All jobs</a>
    </div>
    {jobs.missing ? (
      <Missing what="Your jobs" />
    ) : (
      <Table
        label="Recent jobs"
        caption="The newest jobs first"
        rows={jobs.value}
        keyOf={({ jobId }) => jobId}
        lead="Video"
        numbers={['Credits']}
        columns={{
          Video: (job) => (
            <div class="video">
              <Thumbnail src={pictureOf(job)} />
              <a href={`${base}/jobs/${job.jobId}`}>{nameOf(job)}</a>
            </div>
          ),
          Type: ({ kind }) => (kind === 'transcript' ? 'Transcript' : 'Extraction'),
          State: (job) => <StandingBadge of={standingOf(job)} />,
          Credits: ({ creditsCharged }) => (creditsCharged === null ? '–' : formatNumber(creditsCharged)),
          When: ({ createdAt }) => <Time at={createdAt} />,
        }}
      />
    )}
  </section>
)
