'use client'

import { IdChip } from '../IdChip'
import { PageError, type PageErrorProps } from './PageError'

/** Shows a broken page within the navigation of its area. */
export const AreaError = (props: PageErrorProps) => <PageError {...props} showId={(id) => <IdChip id={id} full />} />
