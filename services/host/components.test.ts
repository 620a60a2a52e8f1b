import { expect } from 'chai'
import { startBatches } from '#services/batches/batches.harness.ts'
import { jobAcceptor } from '#test/bench/service/job-acceptor.ts'
import { until } from '#test/doubles/service/until.ts'

describe('all components in one process', () => {
  it('take a job of three steps to settlement with six appends and one task', async () => {
    await using service = await startBatches()
    const { store, queue } = service
    const appends: string[] = []
    const published: string[] = []
    const [append, appendTogether] = [store.append.bind(store), store.appendTogether.bind(store)]
    const publish = queue.publish.bind(queue)
    store.append = (stream, expected, events) => {
      appends.push(events.map(({ type }) => type).join(', '))
      return append(stream, expected, events)
    }
    store.appendTogether = (all) => {
      appends.push(all.flatMap(({ events }) => events.map(({ type }) => type)).join(', '))
      return appendTogether(all)
    }
    queue.publish = (task) => {
      published.push(task.step)
      return publish(task)
    }
    await jobAcceptor({ ...service, windowSeconds: 60 })(service.customer)
    await until('the job is settled', () => appends.at(-1) === 'CreditsSettled')
    expect(appends).to.deep.equal([
      'CreditsDebited, JobRequested',
      'StepStarted',
      'VideoFetched, StepStarted',
      'CaptionsUnavailable, StepStarted',
      'SpeechTranscribed, JobCompleted',
      'CreditsSettled',
    ])
    expect(published).to.deep.equal(['fetch'])
  })
})
