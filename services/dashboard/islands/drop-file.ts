/** The longest list, percent-encoded. It leaves room for line breaks in the 512 kB that the server accepts. */
const MOST_CHARACTERS = 400_000

/** A list of lines that a file can fill: a chosen one, or one dropped on the list. */
export function dropFile(box: HTMLElement): void {
  const list = box.querySelector('textarea')
  const chooser = box.querySelector<HTMLElement>('[data-file]')
  const input = chooser?.querySelector('input')
  const problem = chooser?.querySelector('.problem')
  if (!list || !chooser || !input || !problem) return
  chooser.hidden = false
  const fill = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    const isLong = file.size > MOST_CHARACTERS || encodeURIComponent(await file.text()).length > MOST_CHARACTERS
    problem.textContent = isLong ? `${file.name} is too long for a page: send it over the API.` : ''
    if (!isLong) list.value = await file.text()
  }
  input.addEventListener('change', () => fill(input.files?.[0]))
  list.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  list.addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0]
    if (file === undefined) return
    event.preventDefault()
    void fill(file)
  })
}
