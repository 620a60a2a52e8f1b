import { spawnSync } from 'node:child_process'
import { type Lack, leaveOut } from './left-out.ts'

const CURL: Lack = { needs: 'curl', why: 'it is not installed' }

/** Tests of commands that call curl, which a bare machine does not have. */
export const withCurl = (body: () => void): void =>
  spawnSync('curl', ['--version']).status === 0 ? body() : leaveOut(CURL, body)
