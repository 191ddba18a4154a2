'use client'

import { AreaError } from '../_ui/AreaError'

export default AreaError
