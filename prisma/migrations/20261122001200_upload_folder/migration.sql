-- Which folder an upload's bytes are in: machines may share one, or have one each.
ALTER TABLE "upload" ADD COLUMN "folder" TEXT;
