/**
 * Scenarios that a process for each service cannot change, each with the reason. `npm run test:engines` leaves them to
 * `npm test`. All other scenarios run on both.
 */
export const inOneProcessOnly: Readonly<Record<string, string>> = {
  'test/scenarios/platform-reads.test.ts':
    'the ingress asks the platforms itself, without events, in the same process either way',
  'test/scenarios/platform-accounts.test.ts':
    'a reader signs in, and reads with its cookies, within one process; platform-jobs crosses processes',
  'test/scenarios/platform-refusals.test.ts': 'what an answer of a platform means is decided within one step',
  'test/scenarios/platform-second-ways.test.ts': 'another way of reading is chosen within one step',
  'test/scenarios/platform-outages.test.ts':
    'each process counts refusals, and looks after its yt-dlp workers, by itself; platform-jobs crosses processes',
  'test/scenarios/withheld-captions.test.ts': 'what an answer of a platform means is decided within one step',
  'test/scenarios/youtube-ways.test.ts': 'the way of reading is chosen within one step',
  'test/scenarios/platform-captions.test.ts':
    'which captions are chosen, and what is made of them, is decided within one step; platform-jobs crosses processes',
  'test/scenarios/platform-extractions.test.ts':
    'what reaches the model from a platform is decided within one step; extractions crosses processes',
  'test/scenarios/long-recording.test.ts': 'the memory that one step takes; transcripts hears speech across processes',
  'test/scenarios/local-speech.test.ts':
    'the engine is chosen, and hears, within one step; transcripts hears by an endpoint across processes',
  'test/scenarios/documented-examples.test.ts': 'the documents name `npm start -- --sandbox`, which is one process',
  'test/scenarios/language.test.ts':
    'the language is decided at the door and within one step; transcripts crosses processes with a language',
  'test/scenarios/requests.test.ts':
    'what is refused is decided at the door; conformance limits and revokes across processes, and the counters of MongoDB have the contract suite of all counters',
  'test/scenarios/keys.test.ts':
    'what a key may do is decided in the ingress and by the ledger, in one process either way',
  'test/scenarios/backup.test.ts':
    'the command copies the files of one process; servers have their own (ops/engines.md)',
  'test/scenarios/telemetry-away.test.ts': 'each process exports, and gives it up at its end, by itself',
  'test/scenarios/tools.test.ts': 'the tools ask /v1 as any other client does',
}
