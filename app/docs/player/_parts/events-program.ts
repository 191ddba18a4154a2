/** What a page does with the events of the element; a test runs it. */
export const EVENTS_PROGRAM = `const player = document.querySelector('reelgate-player')
let isRenewed = false

player.addEventListener('ready', () => (isRenewed = false))
player.addEventListener('ended', () => showNextLesson())
player.addEventListener('error', async ({ detail }) => {
  // The token expired before playback began. Once only: if another one is refused as well, more of them do not help.
  if (detail.code !== 'PLAYBACK_TOKEN_EXPIRED' || isRenewed) return
  isRenewed = true
  player.setAttribute('token', await freshToken())
})`
