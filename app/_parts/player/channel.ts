/** Marks the messages between the player and the page around it. */
export const CHANNEL = 'reelgate-player'
