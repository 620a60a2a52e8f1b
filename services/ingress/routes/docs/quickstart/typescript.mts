const base = 'http://127.0.0.1:8080'
const headers = { 'x-api-key': process.env.KEY ?? '', 'content-type': 'application/json', prefer: 'wait=30' }

type Job = { jobId: string; status: string; resultJson?: { text: string }; error?: { code: string; message: string } }

async function call(path: string, body?: object): Promise<Job> {
  const answer = await fetch(base + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Job
}

let job = await call('/v1/transcript', { url: 'https://www.youtube.com/watch?v=jNQXAC9IVRw' })
while (job.status === 'queued') job = await call(`/v1/transcript/${job.jobId}`)
console.log(job.status === 'completed' ? job.resultJson?.text : job.error)
