/** Returns text as HTML or as the markup of a cue, without elements or attributes' ends. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
