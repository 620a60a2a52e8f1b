import { expect } from 'chai'
import { authorOfPage, titleOfPage } from './facebook.ts'

/** Titles and authors of Facebook's pages, as yt-dlp gives them. */
const pages: { title: string; uploader: string; shown: [title: string, author: string | null] }[] = [
  { title: 'An evening', uploader: 'Evening Readers', shown: ['An evening', 'Evening Readers'] },
  { title: 'A | B', uploader: 'A | B', shown: ['A | B', 'A | B'] },
  {
    title: '9.7K views · 352 reactions | One pot | one paragraph | Soup & Sentences',
    uploader: '9.7K views &#xb7; 352 reactions | One pot | one paragraph | Soup &#x26; Sentences',
    shown: ['One pot | one paragraph', 'Soup & Sentences'],
  },
  {
    title: '119 reactions · 1.4K shares | Evening Readers on Reels',
    uploader: 'Evening Readers',
    shown: ['Evening Readers on Reels', 'Evening Readers'],
  },
  {
    title: '119 reactions · 1.4K shares | Evening Readers on Reels',
    uploader: '119 reactions &#xb7; 1.4K shares | Evening Readers on Reels',
    shown: ['Evening Readers on Reels', 'Evening Readers'],
  },
  { title: 'An evening', uploader: 'An evening | Facebook', shown: ['An evening', null] },
]

describe('a video of Facebook', () => {
  for (const { title, uploader, shown } of pages)
    it(`is called ${shown.join(' by ')} if its page is called ${uploader}`, () => {
      expect([titleOfPage(title), authorOfPage(uploader)]).to.deep.equal(shown)
    })
})
