import { Notice } from '../Notice'
import { formMessage } from './form-errors'

interface Props {
  error: Parameters<typeof formMessage>[0] | null | undefined
  form: { values: object }
  /** A field that this user does not see. */
  hidden?: string | false
}

/** Shows an error of a form's mutation, unless it concerns a field of the form: `showAtFields` shows it there. */
export function FormError({ error, form, hidden }: Props) {
  const fields = Object.keys(form.values).filter((field) => field !== hidden)
  const message = error && formMessage(error, fields)
  return message ? <Notice tone="bad">{message}</Notice> : null
}
