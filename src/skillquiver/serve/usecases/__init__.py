"""What Skillquiver does, once for all faces: arguments in, frozen records out."""
