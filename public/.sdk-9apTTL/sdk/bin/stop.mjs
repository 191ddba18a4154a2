/** An error that a retry does not fix. Its message is shown to the user. */
export class Stop extends Error {}

/** Returns the reason of a failed request, such as ECONNREFUSED, or why it was not sent. */
export const causeOf = ({ cause, message }) => cause?.code ?? cause?.message ?? message

/** Returns the text of an error of the service, with what is wrong with each value of an invalid request, as ReelgateError has it. */
export function messageOf({ code, message, details }) {
  const problems = Array.isArray(details) ? details.filter((one) => one.message !== message) : []
  const texts = problems.map((one) => [one.path, one.message].filter(Boolean).join(': '))
  return [`${code}: ${message.replace(/ See details\.$/, '')}`, ...texts].join(' ')
}
