/** A button beside a password that shows what was typed. */
export function reveal(box: HTMLElement): void {
  const input = box.querySelector('input')
  if (input === null) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'link reveal'
  const show = (isShown: boolean): void => {
    input.type = isShown ? 'text' : 'password'
    button.textContent = isShown ? 'Hide' : 'Show'
    button.setAttribute('aria-label', isShown ? 'Hide the password' : 'Show the password')
  }
  show(false)
  button.addEventListener('click', () => show(input.type === 'password'))
  // Hidden again before sending: password managers and browsers save only the contents of password fields.
  input.form?.addEventListener('submit', () => show(false))
  input.after(button)
}
