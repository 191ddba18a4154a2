-- What an error said where that is not the code's usual sentence.
ALTER TABLE "request_log" ADD COLUMN "message" TEXT;
