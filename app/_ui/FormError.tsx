import { formMessage } from './form-errors'
import { Notice } from './Notice'

interface Props {
  error: Parameters<typeof formMessage>[0] | null | undefined
  form: { values: object }
}

/** Shows an error of a form's mutation, unless it concerns a field of the form: `showAtFields` shows it there. */
export function FormError({ error, form }: Props) {
  const message = error && formMessage(error, form.values)
  return message ? <Notice tone="bad">{message}</Notice> : null
}
