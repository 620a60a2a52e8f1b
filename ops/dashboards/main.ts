/** `npm run dashboards`: writes Grafana's files, ops/dashboards/json, from the files in this folder. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dashboardFiles } from './files.ts'

const folder = new URL('json/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const [file, text] of Object.entries(dashboardFiles())) await writeFile(new URL(file, folder), text)
