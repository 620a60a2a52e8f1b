/** What a customer does with the client: a transcript, its timeline, a job that fails, and a refused lookup. */
export async function work(client, captioned, hidden) {
  const { segments, source } = await client.transcripts.run({ url: captioned, mode: 'native' })
  const [newest] = (await client.jobs({ status: 'completed', limit: 1 })).jobs
  const timeline = []
  for await (const { type } of client.follow(newest.jobId)) timeline.push(type)
  const failure = await client.transcripts.run({ url: hidden, mode: 'native' }).catch((error) => error)
  const refused = await client.metadata(hidden).catch((error) => error)
  return {
    segments: segments.length,
    source,
    timeline: [timeline[0], timeline.includes('completed')],
    failure: failure.code,
    error: refused.code,
    code: refused.details.code,
  }
}
